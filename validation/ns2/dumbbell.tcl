# N TCP flows over S_i - R1 - R2 - D_i: drop-tail queues, Bernoulli loss on R1->R2, and optionally
# exponential on/off UDP from R2's side to R1's, in the opposite direction of the data.
#   ns dumbbell.tcl -proto newreno -loss 0.01 -seed 3
#   ns dumbbell.tcl -proto vegas -n 3 -jitter 0.1 -backrate 2Mb -backon 10ms -backoff 20ms
source [file join [file dirname [info script]] common.tcl]
array set o {proto newreno protos "" n 1 loss 0 lossat bottleneck bw 2Mb delay 10ms
    abw 10Mb adelay 10ms buf 60 rbuf 10000 hostbuf 10000 dur 100 seed 1 win 100000 pkt 1000
    starts "" jitter 0 sizes "" trace "" sample 0.05 headers true tcpset "" delack ""
    tick 0.001 rtxinit 1.0 minrto 0.2 iw 2
    backrate 0 backon 10ms backoff 10ms backpkt 1000 backn 1}
parse_args o $argv
seed_rng $o(seed)
tcp_defaults $o(tick) $o(rtxinit) $o(minrto) $o(iw) $o(headers) $o(win)
set ns [new Simulator]
set r1 [$ns node]; set r2 [$ns node]
$ns duplex-link $r1 $r2 $o(bw) $o(delay) DropTail
$ns queue-limit $r1 $r2 $o(buf)
$ns queue-limit $r2 $r1 $o(buf)
set protos $o(protos)
if {$protos eq ""} { for {set i 0} {$i < $o(n)} {incr i} { lappend protos $o(proto) } }
set n [llength $protos]
set ju [new RandomVariable/Uniform]; $ju set min_ 0.0; $ju set max_ $o(jitter)
set lossmons {}
if {$o(loss) > 0 && $o(lossat) eq "bottleneck"} { lappend lossmons [bernoulli_loss $ns $r1 $r2 $o(loss)] }

# an idle ns-2 sender "cuts" its window at every timeout, so its counters are saved when it is done
Agent/TCP instproc done {} { global ns finish flowid ndone n atdone
    set i $flowid($self)
    set finish($i) [$ns now]
    set atdone($i) "rexmit_done=[$self set nrexmitpack_] timeouts_done=[$self set nrexmit_] cuts_done=[$self set ncwndcuts_]"
    if {[incr ndone] == $n} { $ns at [expr {[$ns now] + 1.0}] "finish_all" } }
set ndone 0
proc host {router bufin bufout} { global ns o
    set h [$ns node]
    $ns duplex-link $h $router $o(abw) $o(adelay) DropTail
    $ns queue-limit $h $router $bufin; $ns queue-limit $router $h $bufout
    return $h }
for {set i 0} {$i < $n} {incr i} {
    set src [host $r1 $o(hostbuf) $o(rbuf)]; set dst [host $r2 $o(hostbuf) $o(rbuf)]
    if {$o(loss) > 0 && $o(lossat) eq "access"} { lappend lossmons [bernoulli_loss $ns $r2 $dst $o(loss)] }
    foreach {t s} [make_pair $ns $src $dst [lindex $protos $i] $o(pkt) $o(delack)] {}
    foreach {k v} $o(tcpset) { $t set $k $v }
    set tcp($i) $t; set sink($i) $s; set flowid($t) $i; set finish($i) -1; set atdone($i) ""
    set ftp [new Application/FTP]; $ftp attach-agent $t
    set st [lindex $o(starts) $i]; if {$st eq ""} { set st 0.0 }
    if {$o(jitter) > 0} { set st [expr {$st + [$ju value]}] }
    set start($i) $st
    set size [lindex $o(sizes) $i]
    if {$size eq ""} { $ns at $st "$ftp start" } else { $ns at $st "$ftp produce $size" }
}
if {$o(backrate) ne "0"} {
    for {set i 0} {$i < $o(backn)} {incr i} {
        onoff_udp $ns [host $r2 $o(hostbuf) $o(rbuf)] [host $r1 $o(hostbuf) $o(rbuf)] \
            $o(backpkt) $o(backon) $o(backoff) $o(backrate) 0.0
    }
}
set qm [$ns monitor-queue $r1 $r2 ""]
set bm [$ns monitor-queue $r2 $r1 ""]
if {$o(trace) ne ""} {
    set tf [open $o(trace) w]
    proc sampler {} { global ns tf tcp n o
        set line [format %.3f [$ns now]]
        for {set i 0} {$i < $n} {incr i} { append line " " [format %.3f [$tcp($i) set cwnd_]] " " [$tcp($i) set ncwndcuts_] }
        puts $tf $line
        $ns at [expr {[$ns now] + $o(sample)}] sampler }
    $ns at 0.0 sampler
}
proc queue_drops {m} { expr {[$m set parrivals_] - [$m set pdepartures_] - [$m set pkts_]} }
proc finish_all {} { global ns n tcp sink start finish protos o qm bm lossmons atdone
    for {set i 0} {$i < $n} {incr i} {
        tcp_report $i [lindex $protos $i] $tcp($i) $sink($i) $o(pkt) "start=$start($i) finish=$finish($i) $atdone($i)"
    }
    set lost 0; foreach m $lossmons { incr lost [$m set npkts_] }
    puts "link departures=[$qm set pdepartures_] bytes=[$qm set bdepartures_] qdrops=[queue_drops $qm] random_lost=$lost back_bytes=[$bm set bdepartures_] back_qdrops=[queue_drops $bm] end=[$ns now]"
    exit 0 }
$ns at $o(dur) "finish_all"
$ns run
