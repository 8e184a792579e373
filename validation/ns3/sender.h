// What sends in dumbbell.cc: ns-3's LinuxReno as it is (`stock`), or with what `Ways` lists done otherwise (`strict`).

#pragma once

#include "ns3/core-module.h"
#include "ns3/internet-module.h"
#include "ns3/network-module.h"

#include <algorithm>
#include <list>
#include <sstream>
#include <string>

using namespace ns3;

namespace
{

/// What of ns-3.37 the sender `strict` does otherwise. Each can be left as it is by `--without`.
struct Ways
{
    /// The ACK that ends a recovery does not make the window grow, nor does what was counted before the loss.
    bool growth = true;
    /// The window grows by a segment once its bytes are acknowledged (RFC 3465), not its whole segments.
    bool counting = true;
    /// A retransmission that has been SACKed is no longer in flight (RFC 6675, SetPipe; later versions have it so).
    bool settle = true;
    /// While a timeout is being repaired, an ACK adds at most one segment (RFC 5681, section 3.1), whatever it covers.
    bool restart = true;
    /// The ACK that ends the repair of a timeout makes the window grow by a segment, as others in slow start (RFC 5681,
    /// section 3.1), and what was counted before the timeout is forgotten.
    bool ending = true;
    /// The timeout stays doubled until there is a sample of the round-trip time (RFC 6298, section 5), not until an ACK.
    bool backoff = true;
    /// Proportional rate reduction counts whole segments and rounds up, as Linux does.
    bool whole = true;
    /// Every ACK of a recovery that advances restarts the timer (RFC 6298, section 5.3), not only the first one. Only if
    /// `--also` asks for it.
    bool timer = false;
    /// An ACK of a recovery that advances sends what the window allows, and no segment on top of it (RFC 6675, step C).
    /// Only if `--also` asks for it.
    bool partial = false;

    /// A new recovery sends again what the last one had sent again beyond its end and what is still missing (RFC 6675,
    /// section 5, step 4: HighRxt is HighACK), not only what was never sent again.
    bool again = true;

    /// ns-3 as it is.
    static Ways None()
    {
        return {false, false, false, false, false, false, false, false, false, false};
    }
};

Ways g_ways;

// Access to private members of ns-3, which the compiler grants to an explicit instantiation.
template <typename Key, typename Key::Type Member>
struct Opened
{
    friend typename Key::Type Open(Key)
    {
        return Member;
    }
};

struct SentList
{
    using Type = std::list<TcpTxItem*> TcpTxBuffer::*;
    friend Type Open(SentList);
};

struct RetransmittedBytes
{
    using Type = uint32_t TcpTxBuffer::*;
    friend Type Open(RetransmittedBytes);
};

struct IsSacked
{
    using Type = bool TcpTxItem::*;
    friend Type Open(IsSacked);
};

template struct Opened<SentList, &TcpTxBuffer::m_sentList>;
template struct Opened<RetransmittedBytes, &TcpTxBuffer::m_retrans>;
template struct Opened<IsSacked, &TcpTxItem::m_sacked>;

/// Takes the retransmissions that have been SACKed out of what ns-3 counts as in flight.
void
Settle(Ptr<TcpTxBuffer> buffer, Ptr<TcpSocketState> state)
{
    if (!buffer || !g_ways.settle)
    {
        return;
    }
    auto& counts = *PeekPointer(buffer);
    if (counts.*Open(RetransmittedBytes()) == 0)
    {
        return;
    }
    for (auto item : counts.*Open(SentList()))
    {
        if (item->m_retrans && item->*Open(IsSacked()))
        {
            item->m_retrans = false;
            counts.*Open(RetransmittedBytes()) -= item->GetPacket()->GetSize();
        }
    }
    state->m_bytesInFlight = buffer->BytesInFlight();
}

/// Forgets which segments that are missing have been sent again.
void
Forget(Ptr<TcpTxBuffer> buffer)
{
    if (!buffer)
    {
        return;
    }
    auto& counts = *PeekPointer(buffer);
    for (auto item : counts.*Open(SentList()))
    {
        if (item->m_retrans)
        {
            item->m_retrans = false;
            counts.*Open(RetransmittedBytes()) -= item->GetPacket()->GetSize();
        }
    }
}

/// LinuxReno, with what differs in `Ways`.
class StrictReno : public TcpLinuxReno
{
  public:
    Ptr<TcpTxBuffer> m_buffer;

    static TypeId GetTypeId()
    {
        static TypeId id = TypeId("ns3::StrictReno")
                               .SetParent<TcpLinuxReno>()
                               .AddConstructor<StrictReno>()
                               .SetGroupName("Internet");
        return id;
    }

    std::string GetName() const override
    {
        return "StrictReno";
    }

    Ptr<TcpCongestionOps> Fork() override
    {
        return CopyObject<StrictReno>(this);
    }

    void CongestionStateSet(Ptr<TcpSocketState> state, const TcpSocketState::TcpCongState_t next) override
    {
        m_leaving = g_ways.growth && state->m_congState == TcpSocketState::CA_RECOVERY &&
                    next == TcpSocketState::CA_OPEN;
        m_ending = g_ways.ending && state->m_congState == TcpSocketState::CA_LOSS &&
                   next == TcpSocketState::CA_OPEN;
        if (g_ways.ending && next == TcpSocketState::CA_LOSS)
        {
            m_counted = 0;
        }
        if (g_ways.again && next == TcpSocketState::CA_RECOVERY)
        {
            Forget(m_buffer);
        }
    }

    void PktsAcked(Ptr<TcpSocketState> state, uint32_t, const Time&) override
    {
        Settle(m_buffer, state);
    }

    void IncreaseWindow(Ptr<TcpSocketState> state, uint32_t acked) override
    {
        if (m_leaving)
        {
            m_leaving = false;
            m_counted = 0;
            return;
        }
        if (m_ending)
        {
            // ns-3 counts what the ACK covers beyond all that was outstanding at the timeout: nothing.
            m_ending = false;
            acked = std::max(acked, 1u);
        }
        if (g_ways.restart && state->m_congState == TcpSocketState::CA_LOSS)
        {
            acked = std::min(acked, 1u);
        }
        if (state->m_cWnd < state->m_ssThresh)
        {
            SlowStart(state, acked);
            return;
        }
        const uint32_t segment = state->m_segmentSize;
        const uint32_t window = g_ways.counting ? state->m_cWnd.Get()
                                                : std::max(state->m_cWnd.Get() / segment, 1u) * segment;
        m_counted += acked * segment;
        state->m_cWnd += m_counted / window * segment;
        m_counted %= window;
    }

  private:
    bool m_leaving = false;
    bool m_ending = false;
    /// Bytes acknowledged and not yet turned into growth.
    uint32_t m_counted = 0;
};

NS_OBJECT_ENSURE_REGISTERED(StrictReno);

/// Proportional rate reduction with the slow-start bound (RFC 6937, section 3). That of ns-3.37 multiplies in 32
/// bits, so it sends nothing while windows of some 50 segments or more come down.
class WidePrr : public TcpClassicRecovery
{
  public:
    Ptr<TcpTxBuffer> m_buffer;

    static TypeId GetTypeId()
    {
        static TypeId id = TypeId("ns3::WidePrr")
                               .SetParent<TcpClassicRecovery>()
                               .AddConstructor<WidePrr>()
                               .SetGroupName("Internet");
        return id;
    }

    std::string GetName() const override
    {
        return "WidePrr";
    }

    Ptr<TcpRecoveryOps> Fork() override
    {
        return CopyObject<WidePrr>(this);
    }

    void EnterRecovery(Ptr<TcpSocketState> state, uint32_t, uint32_t outstanding, uint32_t delivered) override
    {
        // What was SACKed before this ACK is not in flight (RFC 9937, section 6.1).
        const uint32_t sacked = m_buffer && g_ways.whole ? m_buffer->GetSacked() - delivered : 0;
        m_outstanding = outstanding - sacked;
        m_delivered = 0;
        m_out = 0;
        DoRecovery(state, delivered);
    }

    void DoRecovery(Ptr<TcpSocketState> state, uint32_t delivered) override
    {
        Settle(m_buffer, state);
        m_delivered += delivered;
        const int64_t segment = state->m_segmentSize;
        const int64_t unit = g_ways.whole ? segment : 1;
        const int64_t pipe = state->m_bytesInFlight.Get();
        const int64_t target = state->m_ssThresh.Get() / unit * unit;
        int64_t allowed;
        if (pipe > target)
        {
            const int64_t parts = m_outstanding * unit;
            allowed = (m_delivered * target + parts - 1) / parts * unit - m_out;
        }
        else
        {
            const int64_t limit = std::max<int64_t>(m_delivered - m_out, delivered) + segment;
            allowed = std::min(target - pipe, limit);
        }
        allowed = std::max(allowed, m_out > 0 ? 0 : segment);
        state->m_cWnd = static_cast<uint32_t>(pipe + allowed);
        state->m_cWndInfl = state->m_cWnd;
    }

    void ExitRecovery(Ptr<TcpSocketState> state) override
    {
        state->m_cWndInfl = state->m_cWnd;
    }

    void UpdateBytesSent(uint32_t sent) override
    {
        m_out += sent;
    }

  private:
    int64_t m_outstanding = 1;
    int64_t m_delivered = 0;
    int64_t m_out = 0;
};

NS_OBJECT_ENSURE_REGISTERED(WidePrr);

/// The socket of a sender, with what differs in `Ways`.
class SenderSocket : public TcpSocketBase
{
  public:
    /// Expirations of the timer. The state of the connection does not tell a second one in a row.
    uint64_t m_timeouts = 0;

    static TypeId GetTypeId()
    {
        static TypeId id = TypeId("ns3::SenderSocket")
                               .SetParent<TcpSocketBase>()
                               .AddConstructor<SenderSocket>()
                               .SetGroupName("Internet");
        return id;
    }

    void EstimateRtt(const TcpHeader& header) override
    {
        const auto before = m_history.size();
        const bool original = before > 0 && !m_history.front().retx;
        TcpSocketBase::EstimateRtt(header);
        m_sampled = original && m_history.size() < before;
    }

    void NewAck(const SequenceNumber32& ack, bool restart) override
    {
        const Time doubled = m_rto;
        restart |= g_ways.timer;
        TcpSocketBase::NewAck(ack, restart);
        if (g_ways.backoff && restart && !m_sampled && doubled > m_rto && m_retxEvent.IsRunning())
        {
            m_rto = doubled;
            m_retxEvent.Cancel();
            m_retxEvent = Simulator::Schedule(doubled, &SenderSocket::ReTxTimeout, this);
        }
    }

    void ProcessAck(const SequenceNumber32& ack, bool updated, uint32_t delivered, const SequenceNumber32& head) override
    {
        m_repairing = m_tcb->m_congState == TcpSocketState::CA_RECOVERY;
        TcpSocketBase::ProcessAck(ack, updated, delivered, head);
        m_repairing = false;
    }

    uint32_t SendDataPacket(SequenceNumber32 seq, uint32_t most, bool ack) override
    {
        // What the window allows is sent after the ACK has been processed.
        if (g_ways.partial && m_repairing && AvailableWindow() < m_tcb->m_segmentSize)
        {
            return most;
        }
        return TcpSocketBase::SendDataPacket(seq, most, ack);
    }

    void ReTxTimeout() override
    {
        m_timeouts += m_state == ESTABLISHED;
        TcpSocketBase::ReTxTimeout();
    }

  private:
    /// The ACK that is being processed gave a sample of the round-trip time.
    bool m_sampled = false;
    /// An ACK of a recovery is being processed.
    bool m_repairing = false;
};

NS_OBJECT_ENSURE_REGISTERED(SenderSocket);

/// Makes the sockets of senders.
class SenderFactory : public SocketFactory
{
  public:
    bool m_strict = true;

    static TypeId GetTypeId()
    {
        static TypeId id = TypeId("ns3::SenderFactory")
                               .SetParent<SocketFactory>()
                               .AddConstructor<SenderFactory>()
                               .SetGroupName("Internet");
        return id;
    }

    Ptr<Socket> CreateSocket() override
    {
        auto node = GetObject<Node>();
        auto tcp = node->GetObject<TcpL4Protocol>();
        auto socket = CreateObject<SenderSocket>();
        socket->SetNode(node);
        socket->SetTcp(tcp);
        socket->SetRtt(CreateObject<RttMeanDeviation>());
        if (m_strict)
        {
            auto reno = CreateObject<StrictReno>();
            auto reduction = CreateObject<WidePrr>();
            reno->m_buffer = reduction->m_buffer = socket->GetTxBuffer();
            socket->SetCongestionControlAlgorithm(reno);
            socket->SetRecoveryAlgorithm(reduction);
        }
        else
        {
            socket->SetCongestionControlAlgorithm(CreateObject<TcpLinuxReno>());
            socket->SetRecoveryAlgorithm(CreateObject<TcpPrrRecovery>());
        }
        tcp->AddSocket(socket);
        return socket;
    }
};

NS_OBJECT_ENSURE_REGISTERED(SenderFactory);

/// Leaves some of the ways of ns-3 as they are.
void
Leave(const std::string& names)
{
    std::istringstream words(names);
    for (std::string name; std::getline(words, name, ',');)
    {
        if (name == "growth")
            g_ways.growth = false;
        else if (name == "counting")
            g_ways.counting = false;
        else if (name == "restart")
            g_ways.restart = false;
        else if (name == "settle")
            g_ways.settle = false;
        else if (name == "whole")
            g_ways.whole = false;
        else if (name == "ending")
            g_ways.ending = false;
        else if (name == "backoff")
            g_ways.backoff = false;
        else if (name == "again")
            g_ways.again = false;
        else
            NS_FATAL_ERROR("--without " << name << ": choose of growth, counting, restart, ending, settle, whole, backoff and again");
    }
}

/// Changes more of the ways of ns-3.
void
Change(const std::string& names)
{
    std::istringstream words(names);
    for (std::string name; std::getline(words, name, ',');)
    {
        if (name == "timer")
            g_ways.timer = true;
        else if (name == "partial")
            g_ways.partial = true;
        else
            NS_FATAL_ERROR("--also " << name << ": choose of timer and partial");
    }
}

} // namespace
