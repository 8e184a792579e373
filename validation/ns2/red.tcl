# A RED queue in front of 8 Mb/s, without TCP: packets of 1000 B, each of which takes 1 ms.
# "steady": 1.05 packets a millisecond. "bursts": 100 packets, 0.1 ms apart, every 200 ms.
#   ns red.tcl steady 1
# prints how many packets arrived and were dropped, and how many waited on average over time, without
# the one in transmission.
set kind [lindex $argv 0]
ns-random [lindex $argv 1]
foreach {key value} {bytes_ false queue_in_bytes_ false gentle_ false wait_ false setbit_ false
    drop_tail_ true adaptive_ 0 cautious_ 0 thresh_ 5 maxthresh_ 15 linterm_ 10 mean_pktsize_ 1000} {
    Queue/RED set $key $value
}
# ns-2 replaces weights of 0 and below by other values; these are used as they are.
Queue/RED set q_weight_ [expr {$kind eq "steady" ? 0.002 : 0.02}]
set ns [new Simulator]
set a [$ns node]; set b [$ns node]
$ns simplex-link $a $b 8Mb 10ms RED
# The packet in transmission does not count.
$ns queue-limit $a $b 59
set agent [new Agent/UDP]; $agent set packetSize_ 1000
set sink [new Agent/Null]
$ns attach-agent $a $agent; $ns attach-agent $b $sink
$ns connect $agent $sink
set source [new Application/Traffic/CBR]
$source set packetSize_ 1000
$source set random_ 0
$source attach-agent $agent
set monitor [$ns monitor-queue $a $b ""]
set waiting [$monitor get-pkts-integrator]
if {$kind eq "steady"} {
    $source set rate_ 8.4Mb
    $ns at 0.0 "$source start"
} else {
    $source set rate_ 80Mb
    for {set i 0} {$i < 1000} {incr i} {
        $ns at [expr {0.2 * $i}] "$source start"
        $ns at [expr {0.2 * $i + 0.00995}] "$source stop"
    }
}
$ns at 200.0 {
    puts "[$monitor set parrivals_] [$monitor set pdrops_] [expr {[$waiting set sum_] / 200.0}]"
    exit 0
}
$ns run
