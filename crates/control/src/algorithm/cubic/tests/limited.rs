//! Time in which the application or the receiver limits the sender (sections 4.2 and 5.8).

use super::*;

/// 4.2 and 5.8: t is 1 s before the application pauses, and still 1 s when it continues.
#[test]
fn t_leaves_out_the_pauses_of_the_application() {
    let mut control = after_a_loss_at_36(&Config::default());
    ack_at(&mut control, 10_000.0);
    ack_at(&mut control, 11_000.0);
    let before = control.window();
    limited_at(&mut control, 11_500.0);
    limited_at(&mut control, 12_500.0);
    assert_eq!(control.window(), before);
    assert_eq!(control.branch, Branch::Limited);
    ack_at(&mut control, 60_000.0);
    assert_near(number(&control, "w_cubic"), 32.8);
    ack_at(&mut control, 61_000.0);
    assert_near(number(&control, "w_cubic"), 35.6);
}

#[test]
fn t_does_not_begin_while_the_application_limits() {
    let mut control = after_a_loss_at_36(&Config::default());
    limited_at(&mut control, 10_000.0);
    ack_at(&mut control, 50_000.0);
    assert_near(number(&control, "w_cubic"), 25.2);
}

/// 5.8: while a receiver's window of 26 segments restricts the sender, cwnd, t and W_est stay. After
/// that the curve continues where it stopped.
#[test]
fn t_leaves_out_the_time_of_a_full_receiver() {
    let mut control = after_a_loss_at_36(&Config::default());
    ack_at(&mut control, 10_000.0);
    ack_at(&mut control, 11_000.0);
    control.growth.set_cwnd(segments(27.0));
    for i in 0..1000 {
        control.restrict(Segments::whole(26));
        ack_at(&mut control, 11_000.0 + f64::from(i) * 100.0);
    }
    assert_near(number(&control, "w_cubic"), 32.8);
    assert!(number(&control, "w_est") <= 26.1);
    ack_at(&mut control, 111_900.0);
    assert_near(number(&control, "w_cubic"), 35.6);
}
