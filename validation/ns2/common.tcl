# Shared procedures of the reference scripts (ns-2.35).

# Options come as "-name value" pairs; an unknown name is an error.
proc parse_args {optvar argv} {
    upvar #0 $optvar o
    if {[llength $argv] % 2} { puts stderr "options are pairs: -name value"; exit 2 }
    foreach {k v} $argv {
        set k [string trimleft $k -]
        if {![info exists o($k)]} { puts stderr "unknown option -$k; known: [lsort [array names o]]"; exit 2 }
        set o($k) $v
    }
}

# Seed n is the n-th substream of one fixed seed. ns-2's plain "seed n" sets all six words of the
# generator to n, and the generator is linear: the numbers of seed 2 are twice those of seed 1,
# modulo 1, so that half of the losses of one seed fall on the same packets as in the other.
proc seed_rng {seed} {
    global defaultRNG
    $defaultRNG seed 20021
    for {set i 0} {$i < $seed} {incr i} { $defaultRNG next-substream }
}

# Settings that are Dumbbell's defaults, but not ns-2's: a clock of tick seconds for round-trip
# times (ns-2: 10 ms), the first retransmission timeout (ns-2: 3 s), and its minimum.
# window_ is large so that it never binds, and so that Vegas' per-packet arrays, which are
# indexed modulo window_ and not cleared across the wrap, hardly ever wrap within one ACK.
proc tcp_defaults {tick rtxinit minrto iw headers win} {
    Agent/TCP set tcpTick_ $tick
    Agent/TCP set rtxcur_init_ $rtxinit
    Agent/TCP set minrto_ $minrto
    Agent/TCP set windowInit_ $iw
    Agent/TCP set useHeaders_ $headers
    Agent/TCP set window_ $win
    Agent/TCP set singledup_ 1
    Agent/TCP set overhead_ 0
    Agent/TCP set syn_ true
}

# Bytes that the agent adds to the payload of a data packet.
proc header_bytes {proto} {
    if {![Agent/TCP set useHeaders_]} { return 0 }
    set h [Agent/TCP set tcpip_base_hdr_size_]
    if {[string match linux-* $proto]} { incr h [Agent/TCP set ts_option_size_] }
    return $h
}

# A connected sender and sink. Protocols: tahoe reno newreno sack1 vegas, linux-<control>
# (Agent/TCP/Linux), tfrc. delack is the delayed-ACK interval; "" acknowledges every packet.
proc make_pair {ns src dst proto pkt {delack ""}} {
    set da [expr {$delack eq "" ? "" : "/DelAck"}]
    set ca ""
    switch -glob $proto {
        tahoe   { set t [new Agent/TCP];         set s [new Agent/TCPSink$da] }
        reno    { set t [new Agent/TCP/Reno];    set s [new Agent/TCPSink$da] }
        newreno { set t [new Agent/TCP/Newreno]; set s [new Agent/TCPSink$da] }
        sack1   { set t [new Agent/TCP/Sack1];   set s [new Agent/TCPSink/Sack1$da] }
        vegas   { set t [new Agent/TCP/Vegas];   set s [new Agent/TCPSink$da] }
        linux-* { set ca [string range $proto 6 end]
                  set t [new Agent/TCP/Linux];   set s [new Agent/TCPSink/Sack1$da]
                  $t set timestamps_ true
                  $s set ts_echo_rfc1323_ true }
        tfrc    { set t [new Agent/TFRC];        set s [new Agent/TFRCSink] }
        default { puts stderr "unknown protocol $proto"; exit 2 }
    }
    # ns-2's Vegas has its own output routine, which never adds the header: add it here.
    $t set packetSize_ [expr {$proto eq "vegas" ? $pkt + [header_bytes vegas] : $pkt}]
    if {$da ne ""} { $s set interval_ $delack }
    $ns attach-agent $src $t
    $ns attach-agent $dst $s
    $ns connect $t $s
    if {$ca ne ""} { $ns at 0.0 "$t select_ca $ca" }
    return [list $t $s]
}

# One-direction Bernoulli packet loss, after the queue and the propagation delay;
# returns a LossMonitor that counts the dropped packets.
proc bernoulli_loss {ns a b p {var Uniform}} {
    set em [new ErrorModel]
    $em unit pkt
    $em set rate_ $p
    if {$var eq "Exponential"} {
        set rv [new RandomVariable/Exponential]; $rv set avg_ 1.0
    } else {
        set rv [new RandomVariable/Uniform]; $rv set min_ 0.0; $rv set max_ 1.0
    }
    $em ranvar $rv
    $ns link-lossmodel $em $a $b
    set lm [new Agent/LossMonitor]
    $em drop-target $lm
    return $lm
}

# UDP with exponential on and off times from node a to node b; returns its sink.
proc onoff_udp {ns a b pkt on off rate start} {
    set udp [new Agent/UDP]; set sink [new Agent/LossMonitor]
    $udp set packetSize_ $pkt
    $ns attach-agent $a $udp; $ns attach-agent $b $sink; $ns connect $udp $sink
    set e [new Application/Traffic/Exponential]
    $e set packetSize_ $pkt; $e set burst_time_ $on; $e set idle_time_ $off; $e set rate_ $rate
    $e attach-agent $udp
    $ns at $start "$e start"
    return $sink
}

# One line of results for a TCP flow. The sink counts in-order bytes with their headers. Packet 0
# is a 40-byte SYN, except with Vegas, whose packet 0 is data. "sent" and "rexmit" are those of
# data packets: the first SYN is subtracted from "sent" (a lost SYN is counted in both; it is rare).
proc tcp_report {i proto t s pkt {extra ""}} {
    set wire [expr {$pkt + [header_bytes $proto]}]
    set b [$s set bytes_]
    set syn [expr {$proto eq "vegas" ? 0 : 1}]
    set inorder [expr {max(0, round(($b - 40.0 * $syn) / $wire))}]
    set sent [expr {max(0, [$t set ndatapack_] - $syn)}]
    # every cut of ncwndcuts1_ that is not a timeout is a fast retransmit; Vegas does not count its own
    set fast [expr {$proto eq "vegas" ? -1 : [$t set ncwndcuts1_] - [$t set nrexmit_]}]
    puts "flow=$i proto=$proto inorder_pkts=$inorder sink_bytes=$b ack=[$t set ack_] sent=$sent rexmit=[$t set nrexmitpack_] timeouts=[$t set nrexmit_] cuts=[$t set ncwndcuts_] fast=$fast cwnd=[$t set cwnd_] $extra"
}
