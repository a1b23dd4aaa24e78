/// Results of pairs of games: each opening is played twice, with colours swapped, and the two are one observation.
///
/// What is unfair in an opening is so for both sides in turn, and makes the two results of a pair depend on each other.
/// Counting pairs leaves the interval honest, and smaller than that of single games.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct Pairs {
    /// How many pairs brought the first engine no point, half a point, one, one and a half, and two.
    pub counts: [u64; 5],
}

/// 95 % of a normal distribution lie within so many standard deviations.
const TWO_SIDED_95: f64 = 1.959_963_984_540_054;

impl Pairs {
    /// Counts a pair in which the first engine got so many half points, from 0 to 4.
    ///
    /// # Panics
    /// If it is more than 4.
    pub fn add(&mut self, half_points: usize) {
        self.counts[half_points] += 1;
    }

    /// How many pairs.
    pub fn total(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// The share of the points that the first engine got, from 0 to 1; a half where nothing was played.
    pub fn score(&self) -> f64 {
        if self.total() == 0 { 0.5 } else { moments(&self.counts.map(|count| count as f64)).0 }
    }

    /// The score that is to be expected, and its standard error; `None` below two pairs.
    ///
    /// Where all pairs ended alike they say nothing of how results spread: then one pair more is thought of, of which a
    /// half brought no point and a half two.
    fn estimate(&self) -> Option<(f64, f64)> {
        let total = self.total();
        if total < 2 {
            return None;
        }
        let mut counts = self.counts.map(|count| count as f64);
        if self.counts.contains(&total) {
            counts[0] += 0.5;
            counts[4] += 0.5;
        }
        let (score, variance) = moments(&counts);
        // Of a sample, hence one less.
        Some((score, (variance / (counts.iter().sum::<f64>() - 1.0)).sqrt()))
    }

    /// What the score lies between with 95 % certainty; from 0 to 1 below two pairs.
    pub fn interval(&self) -> (f64, f64) {
        let Some((score, error)) = self.estimate() else { return (0.0, 1.0) };
        let reach = TWO_SIDED_95 * error;
        ((score - reach).max(0.0), (score + reach).min(1.0))
    }

    /// The likelihood that the first engine is the stronger one; `None` below two pairs.
    pub fn superiority(&self) -> Option<f64> {
        self.estimate().map(|(score, error)| normal((score - 0.5) / error))
    }
}

/// The mean of a pair's share of the points, and its variance.
fn moments(counts: &[f64; 5]) -> (f64, f64) {
    let total: f64 = counts.iter().sum();
    let each = || counts.iter().enumerate().map(|(at, count)| (at as f64 / 4.0, count / total));
    let mean: f64 = each().map(|(share, weight)| share * weight).sum();
    (mean, each().map(|(share, weight)| (share - mean).powi(2) * weight).sum())
}

/// The difference of ratings at which this score is expected; infinite for 0 and 1.
pub fn elo(score: f64) -> f64 {
    400.0 * (score / (1.0 - score)).log10()
}

/// The score that a difference of ratings leads to.
pub fn score(elo: f64) -> f64 {
    1.0 / (1.0 + 10f64.powf(-elo / 400.0))
}

/// The share of a normal distribution below `z` standard deviations.
///
/// The error function by its series, and far out by its continued fraction: exact to ten digits and more.
fn normal(z: f64) -> f64 {
    let x = z.abs() / std::f64::consts::SQRT_2;
    let density = (-x * x).exp() / std::f64::consts::PI.sqrt();
    let tail = if x < 3.0 {
        let mut term = x;
        let mut sum = x;
        for n in 1..100 {
            term *= 2.0 * x * x / f64::from(2 * n + 1);
            sum += term;
        }
        0.5 - density * sum
    } else {
        let fraction = (1..60).rev().fold(x, |below, n| x + f64::from(n) / 2.0 / below);
        density / fraction / 2.0
    };
    if z < 0.0 { tail } else { 1.0 - tail }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(a: f64, b: f64, within: f64) {
        assert!((a - b).abs() <= within, "{a} is not {b}");
    }

    #[test]
    fn the_normal_distribution_is_that_of_the_tables() {
        for (z, share) in [
            (0.0, 0.5),
            (1.0, 0.841_344_746_068_543),
            (-1.0, 0.158_655_253_931_457),
            (1.959_963_984_540_054, 0.975),
            (-2.575_829_303_548_901, 0.005),
            (4.0, 0.999_968_328_758_167),
            (-4.5, 3.397_673_124_730_06e-6),
            (-6.0, 9.865_876_450_377e-10),
        ] {
            close(normal(z), share, 1e-12);
        }
    }

    #[test]
    fn ratings_and_scores_are_twins() {
        close(elo(0.5), 0.0, 1e-12);
        close(elo(10.0 / 11.0), 400.0, 1e-9);
        close(elo(0.75), 190.848_501_887_865, 1e-9);
        assert_eq!((elo(0.0), elo(1.0)), (f64::NEG_INFINITY, f64::INFINITY));
        for difference in [-300.0, -5.0, 0.0, 20.0, 150.0] {
            close(elo(score(difference)), difference, 1e-9);
        }
    }

    #[test]
    fn the_interval_is_that_of_the_pairs_written_out() {
        let pairs = Pairs { counts: [3, 10, 40, 20, 7] };
        let shares: Vec<f64> =
            [0.0, 0.25, 0.5, 0.75, 1.0].iter().zip(pairs.counts).flat_map(|(s, n)| vec![*s; n as usize]).collect();
        let n = shares.len() as f64;
        let mean = shares.iter().sum::<f64>() / n;
        let sample = shares.iter().map(|share| (share - mean) * (share - mean)).sum::<f64>() / (n - 1.0);
        let reach = 1.96 * (sample / n).sqrt();
        let (low, high) = pairs.interval();
        close(low, mean - reach, 1e-5);
        close(high, mean + reach, 1e-5);
        close(pairs.score(), mean, 1e-12);
        assert!(pairs.superiority().unwrap() > 0.97);
    }

    #[test]
    fn equal_pairs_tell_no_more_than_they_can() {
        assert_eq!(Pairs::default().interval(), (0.0, 1.0));
        assert_eq!(Pairs { counts: [0, 0, 0, 0, 1] }.interval(), (0.0, 1.0));
        let (low, high) = Pairs { counts: [0, 0, 0, 0, 10] }.interval();
        assert!(low > 0.6 && low < 0.95 && high == 1.0, "{low}");
        let (low, high) = Pairs { counts: [0, 0, 50, 0, 0] }.interval();
        close(low + high, 1.0, 1e-12);
        assert!(high > 0.51 && high < 0.55, "{high}");
        close(Pairs { counts: [0, 0, 50, 0, 0] }.superiority().unwrap(), 0.5, 1e-12);
        assert!(Pairs { counts: [0, 0, 0, 0, 10] }.superiority().unwrap() > 0.999);
        assert_eq!(Pairs { counts: [0, 0, 0, 0, 1] }.superiority(), None);
    }
}
