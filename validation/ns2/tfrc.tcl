# TFRC and TCP flows over a wired bottleneck and lossy wireless links, with Pareto on/off UDP flows
# in the background (the topology of the TFRC Veno paper, figure 6).
#   ns tfrc.tcl -protos "tfrc tfrc sack1 sack1" -loss 0.01 -model exp|twostate|multistate -seed 1
source [file join [file dirname [info script]] common.tcl]
array set o {protos "tfrc tfrc tfrc tfrc tfrc tfrc tfrc tfrc" loss 0.01 model exp bw 12Mb delay 80ms buf 20
    abw 10Mb adelay 1ms abuf 50 nudp 8 udppkt 512 udprate 300k burst 100ms idle 100ms shape 1.5
    good 0.00001 goodt 8.0 badt 4.0 pswitch 0.95 dur 300 seed 1 win 100000 pkt 1000 jitter 1.0 warm 20
    bin 0.1 tick 0.001 rtxinit 1.0 minrto 0.2 iw 2 headers true}
parse_args o $argv
seed_rng $o(seed)
tcp_defaults $o(tick) $o(rtxinit) $o(minrto) $o(iw) $o(headers) $o(win)
set ns [new Simulator]
set r1 [$ns node]; set r2 [$ns node]
proc dlink {a b bw delay q} { global ns
    $ns duplex-link $a $b $bw $delay DropTail
    $ns queue-limit $a $b $q; $ns queue-limit $b $a $q }
dlink $r1 $r2 $o(bw) $o(delay) $o(buf)
set ju [new RandomVariable/Uniform]; $ju set min_ 0.0; $ju set max_ $o(jitter)
set tsu [new RandomVariable/Uniform]; $tsu set min_ 0.0; $tsu set max_ 1.0
proc ts_step {em state} { global ns o tsu
    if {[$tsu value] < $o(pswitch)} { set state [expr {1 - $state}] }
    $em set rate_ [expr {$state ? $o(loss) : $o(good)}]
    $ns at [expr {[$ns now] + ($state ? $o(badt) : $o(goodt))}] "ts_step $em $state" }
proc wireless_loss {a b} { global ns o
    if {$o(loss) <= 0} { return }
    if {$o(model) eq "exp"} { return [bernoulli_loss $ns $a $b $o(loss) Exponential] }
    if {$o(model) eq "twostate"} {
        # clocked by time, one independent chain per wireless link, all start in the good state
        set em [new ErrorModel]; $em unit pkt
        set rv [new RandomVariable/Uniform]; $em ranvar $rv
        $em set rate_ $o(good)
        $ns link-lossmodel $em $a $b
        set lm [new Agent/LossMonitor]; $em drop-target $lm
        $ns at $o(goodt) "ts_step $em 0"
        return $lm
    }
    # model multistate: ns-2's own ErrorModel/MultiState (same chain, clocked at packet arrivals; slow)
    set e0 [new ErrorModel/Uniform $o(good) pkt]
    set e1 [new ErrorModel/Uniform $o(loss) pkt]
    set q $o(pswitch); set stay [expr {1.0 - $q}]
    set em [new ErrorModel/MultiState [list $e0 $e1] [list $o(goodt) $o(badt)] \
        [list [list $stay $q] [list $q $stay]] pkt time 2 $e0]
    $ns link-lossmodel $em $a $b
    set lm [new Agent/LossMonitor]; $em drop-target $lm
    return $lm }
set n [llength $o(protos)]
for {set i 0} {$i < $n} {incr i} {
    set src [$ns node]; set dst [$ns node]
    dlink $src $r1 $o(abw) $o(adelay) $o(abuf)
    dlink $r2 $dst $o(abw) $o(adelay) $o(abuf)
    set lm($i) [wireless_loss $r2 $dst]
    foreach {t s} [make_pair $ns $src $dst [lindex $o(protos) $i] $o(pkt)] {}
    set ag($i) $t; set sk($i) $s
    set start($i) [$ju value]
    if {[lindex $o(protos) $i] eq "tfrc"} {
        $ns at $start($i) "$t start"
    } else {
        set f [new Application/FTP]; $f attach-agent $t; $ns at $start($i) "$f start"
    }
}
set umon {}
for {set i 0} {$i < $o(nudp)} {incr i} {
    set src [$ns node]; set dst [$ns node]
    dlink $src $r1 $o(abw) $o(adelay) $o(abuf)
    dlink $r2 $dst $o(abw) $o(adelay) $o(abuf)
    set u [new Agent/UDP]; $u set packetSize_ $o(udppkt); set l [new Agent/LossMonitor]
    $ns attach-agent $src $u; $ns attach-agent $dst $l; $ns connect $u $l
    set p [new Application/Traffic/Pareto]
    $p set packetSize_ $o(udppkt); $p set burst_time_ $o(burst); $p set idle_time_ $o(idle)
    $p set rate_ $o(udprate); $p set shape_ $o(shape)
    $p attach-agent $u
    $ns at [$ju value] "$p start"
    lappend umon $l
}
set qm [$ns monitor-queue $r1 $r2 ""]
# packets sent per bin: running sums for the CoV of every flow, and of all samples of a protocol
for {set i 0} {$i < $n} {incr i} { set last($i) 0; set s1($i) 0.0; set s2($i) 0.0; set w1($i) 0.0; set w2($i) 0.0; set warmsent($i) 0 }
set k 0; set kw 0
proc sampler {} { global ns n ag last s1 s2 w1 w2 k kw o warmsent
    set now [$ns now]
    set warm [expr {$now > $o(warm) + 1e-6}]
    for {set i 0} {$i < $n} {incr i} {
        set c [$ag($i) set ndatapack_]
        set d [expr {$c - $last($i)}]; set last($i) $c
        set s1($i) [expr {$s1($i) + $d}]; set s2($i) [expr {$s2($i) + $d*$d}]
        if {$warm} { set w1($i) [expr {$w1($i) + $d}]; set w2($i) [expr {$w2($i) + $d*$d}] } else { set warmsent($i) $c }
    }
    incr k; if {$warm} { incr kw }
    if {$now + $o(bin) < $o(dur) + 1e-6} { $ns at [expr {($k + 1) * $o(bin)}] sampler } }
$ns at $o(bin) sampler
proc finish {} { global ns n o ag sk s1 s2 w1 w2 k kw start lm qm umon warmsent
    for {set i 0} {$i < $n} {incr i} {
        set p [lindex $o(protos) $i]
        set extra "start=$start($i) s1=$s1($i) s2=$s2($i) k=$k w1=$w1($i) w2=$w2($i) kw=$kw lost=[expr {$lm($i) eq "" ? 0 : [$lm($i) set npkts_]}]"
        if {$p eq "tfrc"} {
            puts "flow=$i proto=$p inorder_pkts=-1 sink_bytes=[$sk($i) set bytes_] sent=[$ag($i) set ndatapack_] rexmit=0 timeouts=0 cuts=0 $extra"
        } else {
            tcp_report $i $p $ag($i) $sk($i) $o(pkt) $extra
        }
    }
    set ub 0; foreach l $umon { incr ub [$l set bytes_] }
    puts "link departures=[$qm set pdepartures_] bytes=[$qm set bdepartures_] qdrops=[$qm set pdrops_] udp_recv_bytes=$ub"
    exit 0 }
# a little after the last bin ends, so that it is counted
$ns at [expr {$o(dur) + 1e-6}] "finish"
$ns run
