# One Vegas flow with exponential on/off traffic on the backward path: one bottleneck, or a
# parking lot of three with one source each. No headers on data packets, as in ns-2 of 2002.
#   ns vegas_backward.tcl -topo single|parking -load 0.9 -seed 1
source [file join [file dirname [info script]] common.tcl]
array set o {topo single proto vegas load 0.9 dur 200 vbrstart 0 seed 1 buf 50 abuf 50 win 100000 pkt 1000
    abw 2Mb adelay 10ms bw 1Mb delay 20ms bwbps 1e6 on 0.010 peak 2e6 vbrpkt 1000 headers false tick 0.001 rtxinit 1.0 minrto 1.0 iw 2 trace "" sample 1.0}
parse_args o $argv
seed_rng $o(seed)
tcp_defaults $o(tick) $o(rtxinit) $o(minrto) $o(iw) $o(headers) $o(win)
set ns [new Simulator]
set hops [expr {$o(topo) eq "single" ? 1 : 3}]
proc dlink {a b bw delay q} { global ns
    $ns duplex-link $a $b $bw $delay DropTail
    $ns queue-limit $a $b $q; $ns queue-limit $b $a $q }
proc host {router} { global ns o
    set h [$ns node]; dlink $h $router $o(abw) $o(adelay) $o(abuf); return $h }
for {set i 0} {$i <= $hops} {incr i} { set r($i) [$ns node] }
for {set i 0} {$i < $hops} {incr i} { dlink $r($i) $r([expr {$i+1}]) $o(bw) $o(delay) $o(buf) }
set src [host $r(0)]; set dst [host $r($hops)]
foreach {tcp sink} [make_pair $ns $src $dst $o(proto) $o(pkt)] {}
set ftp [new Application/FTP]; $ftp attach-agent $tcp
$ns at 0.0 "$ftp start"
# mean OFF time so that peak * on/(on+off) = load * bottleneck rate
set vbrs {}
if {$o(load) > 0} {
    set off [expr {$o(on) * ($o(peak) / ($o(load) * $o(bwbps)) - 1.0)}]
    for {set i 0} {$i < $hops} {incr i} {
        set a [host $r([expr {$i+1}])]; set b [host $r($i)]
        lappend vbrs [onoff_udp $ns $a $b $o(vbrpkt) $o(on) $off $o(peak) $o(vbrstart)]
        set amon($i) [$ns monitor-queue $a $r([expr {$i+1}]) ""]
    }
}
for {set i 0} {$i < $hops} {incr i} {
    set bq($i) [$ns monitor-queue $r([expr {$i+1}]) $r($i) ""]
    set fq($i) [$ns monitor-queue $r($i) $r([expr {$i+1}]) ""]
}
set mark 0
if {$o(vbrstart) > 0} { $ns at $o(vbrstart) { set mark [$sink set bytes_] } }
if {$o(trace) ne ""} {
    set tf [open $o(trace) w]
    proc sampler {} { global ns tf tcp sink o
        puts $tf "[format %.2f [$ns now]] [$sink set bytes_] [$tcp set cwnd_]"
        $ns at [expr {[$ns now] + $o(sample)}] sampler }
    $ns at 0.0 sampler
}
proc finish {} { global ns tcp sink o hops bq fq amon mark vbrs
    tcp_report 0 $o(proto) $tcp $sink $o(pkt) "mark_bytes=$mark"
    for {set i 0} {$i < $hops} {incr i} {
        set off 0; if {[info exists amon($i)]} { set off [$amon($i) set bdepartures_] }
        set got 0; if {[llength $vbrs]} { set got [[lindex $vbrs $i] set bytes_] }
        puts "hop=$i vbr_sent_bytes=$off vbr_recv_bytes=$got back_dep_bytes=[$bq($i) set bdepartures_] back_drops=[$bq($i) set pdrops_] fwd_drops=[$fq($i) set pdrops_]"
    }
    exit 0 }
$ns at $o(dur) "finish"
$ns run
