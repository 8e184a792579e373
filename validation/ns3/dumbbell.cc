// TCP flows over a dumbbell in ns-3, whose bottleneck has CoDel, FQ-CoDel, PIE or DropTail in front of it.
//
// Prints one line per flow and one of the bottleneck. `../aqm.py --fresh` builds it; by hand:
//   g++ -std=c++17 -O2 dumbbell.cc -o dumbbell -lns3-{core,network,internet,point-to-point,traffic-control,applications}

#include "sender.h"

#include "ns3/applications-module.h"
#include "ns3/core-module.h"
#include "ns3/internet-module.h"
#include "ns3/network-module.h"
#include "ns3/point-to-point-module.h"
#include "ns3/traffic-control-module.h"

#include <cstdio>
#include <vector>

using namespace ns3;

namespace
{

struct Options
{
    std::string queue = "codel";
    std::string rate = "10Mbps";
    std::string accessRate = "1000Mbps";
    double delay = 0.02;
    double accessDelay = 0.001;
    double loss = 0;
    uint32_t flows = 1;
    uint32_t limit = 1000;
    double duration = 60;
    double startSpread = 1;
    uint32_t payload = 1448;
    uint32_t window = 64u << 20;
    double minRto = 1;
    double burst = 0;
    std::string tcp = "stock";
    std::string without;
    std::string also;
    double target = 0;
    double interval = 0.1;
    std::string device = "empty";
    double udp = 0;
    uint32_t seed = 1;
};

/// What happens at the bottleneck.
struct Bottleneck
{
    Ptr<QueueDisc> disc;
    Ptr<NetDeviceQueue> queue;
    Time enqueued;
    double waited = 0;
    uint64_t sent = 0;
    uint64_t lost = 0;

    void Dequeued(Ptr<const QueueDiscItem> item)
    {
        enqueued = item->GetTimeStamp();
    }

    /// A transmission starts. The packet that left the queue last is the one, if the device holds no others.
    void Begin(Ptr<const Packet>)
    {
        waited += (Simulator::Now() - enqueued).GetSeconds();
        ++sent;
    }

    /// Lets the queue pass a packet only when the transmitter is free.
    void Stop(Ptr<const Packet>)
    {
        queue->Stop();
    }

    void Wake(Ptr<const Packet>)
    {
        Simulator::ScheduleNow(&NetDeviceQueue::Wake, queue);
    }

    void Lost(Ptr<const Packet>)
    {
        ++lost;
    }

    /// With a device that has a queue of its own: how long packets were in the discipline.
    void Sojourn(Time waited_)
    {
        waited += waited_.GetSeconds();
        ++sent;
    }
};

struct Flow
{
    Ptr<PacketSink> sink;
    Ptr<SenderSocket> socket;
    double start;
    uint64_t cuts = 0;
    uint64_t sent = 0;

    void State(TcpSocketState::TcpCongState_t, TcpSocketState::TcpCongState_t now)
    {
        cuts += now == TcpSocketState::CA_RECOVERY;
    }

    void Sent(Ptr<const Packet>, const TcpHeader&, Ptr<const TcpSocketBase>)
    {
        ++sent;
    }

    void Watch(Ptr<BulkSendApplication> source)
    {
        socket = DynamicCast<SenderSocket>(source->GetSocket());
        socket->TraceConnectWithoutContext("CongState", MakeCallback(&Flow::State, this));
        socket->TraceConnectWithoutContext("Tx", MakeCallback(&Flow::Sent, this));
    }
};

void
SetDefaults(const Options& o)
{
    Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(o.payload));
    Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(o.window));
    Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(o.window));
    Config::SetDefault("ns3::TcpSocketBase::MinRto", TimeValue(Seconds(o.minRto)));
    Config::SetDefault("ns3::TcpSocket::ConnTimeout", TimeValue(Seconds(1)));
    QueueSize limit(QueueSizeUnit::PACKETS, o.limit);
    Config::SetDefault("ns3::CoDelQueueDisc::MaxSize", QueueSizeValue(limit));
    Config::SetDefault("ns3::FqCoDelQueueDisc::MaxSize", QueueSizeValue(limit));
    Config::SetDefault("ns3::FqCoDelQueueDisc::UseEcn", BooleanValue(false));
    Config::SetDefault("ns3::PieQueueDisc::MaxSize", QueueSizeValue(limit));
    Config::SetDefault("ns3::FifoQueueDisc::MaxSize", QueueSizeValue(limit));
    Config::SetDefault("ns3::PieQueueDisc::MaxBurstAllowance", TimeValue(Seconds(o.burst)));
    const double target = o.target > 0 ? o.target : 0.005;
    Config::SetDefault("ns3::CoDelQueueDisc::Target", TimeValue(Seconds(target)));
    Config::SetDefault("ns3::CoDelQueueDisc::Interval", TimeValue(Seconds(o.interval)));
    Config::SetDefault("ns3::FqCoDelQueueDisc::Target", StringValue(std::to_string(target) + "s"));
    Config::SetDefault("ns3::FqCoDelQueueDisc::Interval", StringValue(std::to_string(o.interval) + "s"));
    const double reference = o.target > 0 ? o.target : 0.015;
    Config::SetDefault("ns3::PieQueueDisc::QueueDelayReference", TimeValue(Seconds(reference)));
    Config::SetDefault("ns3::PieQueueDisc::Tupdate", TimeValue(MilliSeconds(15)));
}

std::string
TypeOf(const std::string& queue)
{
    if (queue == "codel")
        return "ns3::CoDelQueueDisc";
    if (queue == "fq_codel")
        return "ns3::FqCoDelQueueDisc";
    if (queue == "pie")
        return "ns3::PieQueueDisc";
    if (queue == "droptail")
        return "ns3::FifoQueueDisc";
    NS_FATAL_ERROR("--queue " << queue << ": choose codel, fq_codel, pie or droptail");
}

} // namespace

int
main(int argc, char** argv)
{
    Options o;
    CommandLine line;
    line.AddValue("queue", "codel, fq_codel, pie or droptail", o.queue);
    line.AddValue("rate", "of the bottleneck", o.rate);
    line.AddValue("accessRate", "of each access link", o.accessRate);
    line.AddValue("delay", "of the bottleneck, one way, s", o.delay);
    line.AddValue("accessDelay", "of each access link, one way, s", o.accessDelay);
    line.AddValue("loss", "of packets that leave the bottleneck towards the receivers", o.loss);
    line.AddValue("flows", "number of flows", o.flows);
    line.AddValue("limit", "of the queue, packets", o.limit);
    line.AddValue("duration", "s", o.duration);
    line.AddValue("startSpread", "flows start uniformly in so many seconds", o.startSpread);
    line.AddValue("payload", "of a segment, bytes", o.payload);
    line.AddValue("minRto", "s", o.minRto);
    line.AddValue("burst", "PIE's burst allowance, s", o.burst);
    line.AddValue("tcp", "stock: LinuxReno; strict: StrictReno and WidePrr, see the source", o.tcp);
    line.AddValue("without", "what strict leaves as it is, separated by commas: see Ways in the source", o.without);
    line.AddValue("also", "what strict does otherwise in addition: timer, partial", o.also);
    line.AddValue("target", "of the queue, s; 0: 5 ms, PIE 15 ms", o.target);
    line.AddValue("interval", "of CoDel and FQ-CoDel, s", o.interval);
    line.AddValue("device", "empty: it holds only what it sends; stock: one more packet, so the queue decides earlier", o.device);
    line.AddValue("udp", "if above zero, UDP at this share of the bottleneck's rate takes the place of TCP", o.udp);
    line.AddValue("seed", "the run of the random numbers", o.seed);
    line.Parse(argc, argv);

    RngSeedManager::SetSeed(1);
    RngSeedManager::SetRun(o.seed);
    SetDefaults(o);
    if (o.tcp == "strict")
    {
        Leave(o.without);
        Change(o.also);
    }
    else
    {
        g_ways = Ways::None();
    }

    NodeContainer routers;
    routers.Create(2);
    NodeContainer senders;
    senders.Create(o.flows);
    NodeContainer receivers;
    receivers.Create(o.flows);
    InternetStackHelper().InstallAll();

    PointToPointHelper middle;
    middle.SetDeviceAttribute("DataRate", StringValue(o.rate));
    middle.SetChannelAttribute("Delay", TimeValue(Seconds(o.delay)));
    middle.SetQueue("ns3::DropTailQueue", "MaxSize", StringValue("1p"));
    const bool stock = o.device == "stock";
    if (!stock)
    {
        middle.DisableFlowControl();
    }
    auto devices = middle.Install(routers);

    Bottleneck bottleneck;
    auto device = DynamicCast<PointToPointNetDevice>(devices.Get(0));
    if (!stock)
    {
        for (uint32_t i = 0; i < 2; ++i)
        {
            auto interface = CreateObject<NetDeviceQueueInterface>();
            devices.Get(i)->AggregateObject(interface);
        }
    }
    TrafficControlHelper control;
    control.SetRootQueueDisc(TypeOf(o.queue));
    auto discs = control.Install(devices.Get(0));
    TrafficControlHelper back;
    back.SetRootQueueDisc("ns3::FifoQueueDisc", "MaxSize", StringValue("100000p"));
    back.Install(devices.Get(1));
    bottleneck.disc = discs.Get(0);

    Bottleneck reverse;
    if (stock)
    {
        bottleneck.disc->TraceConnectWithoutContext("SojournTime", MakeCallback(&Bottleneck::Sojourn, &bottleneck));
    }
    else
    {
        bottleneck.queue = device->GetObject<NetDeviceQueueInterface>()->GetTxQueue(0);
        reverse.queue = devices.Get(1)->GetObject<NetDeviceQueueInterface>()->GetTxQueue(0);
        bottleneck.disc->TraceConnectWithoutContext("Dequeue", MakeCallback(&Bottleneck::Dequeued, &bottleneck));
        device->TraceConnectWithoutContext("PhyTxBegin", MakeCallback(&Bottleneck::Begin, &bottleneck));
        for (auto [at, which] : {std::pair{0u, &bottleneck}, std::pair{1u, &reverse}})
        {
            devices.Get(at)->TraceConnectWithoutContext("PhyTxBegin", MakeCallback(&Bottleneck::Stop, which));
            devices.Get(at)->TraceConnectWithoutContext("PhyTxEnd", MakeCallback(&Bottleneck::Wake, which));
        }
    }
    if (o.loss > 0)
    {
        auto errors = CreateObject<RateErrorModel>();
        errors->SetUnit(RateErrorModel::ERROR_UNIT_PACKET);
        errors->SetRate(o.loss);
        devices.Get(1)->SetAttribute("ReceiveErrorModel", PointerValue(errors));
        devices.Get(1)->TraceConnectWithoutContext("PhyRxDrop", MakeCallback(&Bottleneck::Lost, &bottleneck));
    }

    Ipv4AddressHelper addresses("10.0.0.0", "255.255.255.0");
    addresses.Assign(devices);
    PointToPointHelper access;
    access.SetDeviceAttribute("DataRate", StringValue(o.accessRate));
    access.SetChannelAttribute("Delay", TimeValue(Seconds(o.accessDelay)));
    access.SetQueue("ns3::DropTailQueue", "MaxSize", StringValue("100000p"));

    auto starts = CreateObject<UniformRandomVariable>();
    std::vector<Flow> flows(o.flows);
    for (uint32_t i = 0; i < o.flows; ++i)
    {
        auto left = access.Install(senders.Get(i), routers.Get(0));
        auto right = access.Install(routers.Get(1), receivers.Get(i));
        addresses.NewNetwork();
        addresses.Assign(left);
        addresses.NewNetwork();
        auto ends = addresses.Assign(right);

        const uint16_t port = 5000;
        const bool tcp = o.udp == 0;
        const std::string factory = tcp ? "ns3::TcpSocketFactory" : "ns3::UdpSocketFactory";
        const InetSocketAddress there(ends.GetAddress(1), port);
        PacketSinkHelper sink(factory, InetSocketAddress(Ipv4Address::GetAny(), port));
        flows[i].sink = DynamicCast<PacketSink>(sink.Install(receivers.Get(i)).Get(0));
        Ptr<Application> source;
        if (tcp)
        {
            auto maker = CreateObject<SenderFactory>();
            maker->m_strict = o.tcp == "strict";
            senders.Get(i)->AggregateObject(maker);
            BulkSendHelper bulk("ns3::SenderFactory", there);
            bulk.SetAttribute("SendSize", UintegerValue(o.payload));
            source = bulk.Install(senders.Get(i)).Get(0);
        }
        else
        {
            // 8 bytes of UDP, 20 of IP, 2 of PPP
            const double share = o.udp / o.flows * o.payload / (o.payload + 30);
            OnOffHelper constant(factory, there);
            constant.SetConstantRate(DataRate(DataRate(o.rate).GetBitRate() * share), o.payload);
            source = constant.Install(senders.Get(i)).Get(0);
        }
        flows[i].start = starts->GetValue(0, o.startSpread);
        source->SetStartTime(Seconds(flows[i].start));
        if (tcp)
        {
            Simulator::Schedule(Seconds(flows[i].start) + NanoSeconds(1),
                                &Flow::Watch,
                                &flows[i],
                                DynamicCast<BulkSendApplication>(source));
        }
    }
    Ipv4GlobalRoutingHelper::PopulateRoutingTables();
    Simulator::Stop(Seconds(o.duration));
    Simulator::Run();

    for (uint32_t i = 0; i < o.flows; ++i)
    {
        const auto& flow = flows[i];
        std::printf("flow=%u start=%.9f bytes=%llu sent=%llu timeouts=%llu cuts=%llu\n",
                    i,
                    flow.start,
                    (unsigned long long)flow.sink->GetTotalRx(),
                    (unsigned long long)flow.sent,
                    (unsigned long long)(flow.socket ? flow.socket->m_timeouts : 0),
                    (unsigned long long)flow.cuts);
    }
    const auto& stats = bottleneck.disc->GetStats();
    std::printf("link sent=%llu drops=%u lost=%llu sojourn_s=%.9f\n",
                (unsigned long long)bottleneck.sent,
                stats.nTotalDroppedPackets,
                (unsigned long long)bottleneck.lost,
                bottleneck.sent ? bottleneck.waited / bottleneck.sent : 0.0);
    Simulator::Destroy();
}
