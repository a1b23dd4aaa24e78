/// The chance to win, from 0 to 1, that a value stands for: 1 / (1 + exp(-value / scale)), and of a win or a loss in n
/// plies, 30,000 - n or its negative, 1 or 0.
pub fn win_rate(value: i32, scale: u16) -> f64 {
    match value {
        value if value > 29_500 => 1.0,
        value if value < -29_500 => 0.0,
        value => 1.0 / (1.0 + (-f64::from(value) / f64::from(scale.max(1))).exp()),
    }
}
