use super::Pairs;
use super::pairs::score;

/// A sequential test of two hypotheses on the difference of ratings: it ends as soon as the pairs speak clearly.
///
/// The generalised likelihood ratio of Michel Van den Bergh, as Fishtest computes it for pairs: for each hypothesis the
/// results are given the probabilities under which they are likeliest among all that have its score. Both errors, to
/// accept one hypothesis where the other holds, are 5 % or so.
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct Sprt {
    /// The difference below which the first engine is no better.
    pub elo0: f64,
    /// The difference from which on it is.
    pub elo1: f64,
}

/// What a test came to.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// The difference is not `elo0` but `elo1`.
    Better,
    /// The difference is not `elo1` but `elo0`.
    NotBetter,
}

/// An outcome that never came is thought of as having come so often, as no probability is 0.
const NEVER: f64 = 1e-3;

impl Sprt {
    /// The likelihood ratio at which the first hypothesis is given up; the other one is at its negative: ln((1 - 5 %) / 5 %).
    pub const BOUND: f64 = 2.944_438_979_166_44;

    /// The logarithm of the likelihood of `elo1` over that of `elo0`.
    pub fn ratio(&self, pairs: &Pairs) -> f64 {
        if pairs.total() == 0 {
            return 0.0;
        }
        let counts = pairs.counts.map(|count| if count == 0 { NEVER } else { count as f64 });
        let (under0, under1) = (likeliest(&counts, score(self.elo0)), likeliest(&counts, score(self.elo1)));
        (0..counts.len()).map(|at| counts[at] * (under1[at] / under0[at]).ln()).sum()
    }

    /// What the pairs say, if they say it clearly enough.
    pub fn verdict(&self, pairs: &Pairs) -> Option<Verdict> {
        let ratio = self.ratio(pairs);
        if ratio >= Self::BOUND { Some(Verdict::Better) } else { (ratio <= -Self::BOUND).then_some(Verdict::NotBetter) }
    }
}

/// The probabilities with this mean under which the counts of 0, 1/4, 1/2, 3/4 and 1 are likeliest.
///
/// They are `f / (1 + t (x - mean))` for shares `f` and one number `t`: the root of a function that falls between its
/// poles, halved in on.
fn likeliest(counts: &[f64; 5], mean: f64) -> [f64; 5] {
    let total: f64 = counts.iter().sum();
    let away = |at: usize| at as f64 / 4.0 - mean;
    let slope = |t: f64| (0..5).map(|at| counts[at] / total * away(at) / (1.0 + t * away(at))).sum::<f64>();
    let (mut low, mut high) = (-1.0 / away(4), -1.0 / away(0));
    for _ in 0..200 {
        let middle = (low + high) / 2.0;
        if slope(middle) > 0.0 { low = middle } else { high = middle }
    }
    let t = (low + high) / 2.0;
    std::array::from_fn(|at| counts[at] / total / (1.0 + t * away(at)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rival::elo;

    #[test]
    fn decisive_pairs_are_walds_test_of_a_coin() {
        let test = Sprt { elo0: 0.0, elo1: 50.0 };
        let (p0, p1) = (score(0.0), score(50.0));
        for (losses, wins) in [(10, 20), (50, 40), (300, 420), (1000, 1000)] {
            let walds = f64::from(wins) * (p1 / p0).ln() + f64::from(losses) * ((1.0 - p1) / (1.0 - p0)).ln();
            let ratio = test.ratio(&Pairs { counts: [losses as u64, 0, 0, 0, wins as u64] });
            assert!((ratio - walds).abs() < 0.01, "{ratio} is not {walds}");
        }
    }

    #[test]
    fn the_probabilities_have_the_mean_and_are_the_likeliest() {
        let counts = [12.0, 30.0, 80.0, 41.0, 9.0];
        for mean in [0.3, 0.5, 0.52, 0.8] {
            let best = likeliest(&counts, mean);
            let total: f64 = best.iter().sum();
            let its_mean: f64 = best.iter().enumerate().map(|(at, p)| at as f64 / 4.0 * p).sum();
            assert!((total - 1.0).abs() < 1e-9 && (its_mean - mean).abs() < 1e-9, "{mean}: {best:?}");
            let likelihood = |p: &[f64; 5]| (0..5).map(|at| counts[at] * p[at].ln()).sum::<f64>();
            // To go anywhere from there, with the sum and the mean kept, makes the counts less likely.
            for [a, b, c] in [[0, 1, 2], [1, 2, 3], [2, 3, 4], [0, 2, 4]] {
                for step in [1e-4, -1e-4] {
                    let mut other = best;
                    other[a] += step;
                    other[b] -= 2.0 * step;
                    other[c] += step;
                    assert!(likelihood(&other) < likelihood(&best), "{mean} {a} {step}");
                }
            }
        }
    }

    #[test]
    fn it_errs_as_seldom_as_it_says() {
        let mut state = 88_172_645_463_325_252u64;
        let mut random = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 11) as f64 / (1u64 << 53) as f64
        };
        let test = Sprt { elo0: 0.0, elo1: 60.0 };
        for (truth, wrong) in [(0.0, Verdict::Better), (60.0, Verdict::NotBetter)] {
            // Games of which three in ten are drawn, two a pair.
            let win = score(truth) - 0.15;
            let mut game = || match random() {
                r if r < win => 2,
                r if r < win + 0.3 => 1,
                _ => 0,
            };
            const RUNS: u32 = 1000;
            let mut errors = 0;
            for _ in 0..RUNS {
                let mut pairs = Pairs::default();
                let verdict = loop {
                    pairs.add(game() + game());
                    if let Some(verdict) = test.verdict(&pairs) {
                        break verdict;
                    }
                };
                errors += u32::from(verdict == wrong);
            }
            // 5 % with what chance adds in so many runs, and what a test after whole pairs is late.
            assert!((20..=70).contains(&errors), "{errors} of {RUNS} at {truth}");
        }
    }

    #[test]
    fn nothing_played_says_nothing_and_a_clear_match_says_it() {
        let test = Sprt { elo0: 0.0, elo1: 20.0 };
        assert_eq!(test.ratio(&Pairs::default()), 0.0);
        assert_eq!(test.verdict(&Pairs::default()), None);
        assert_eq!(test.verdict(&Pairs { counts: [100, 300, 1000, 500, 200] }), Some(Verdict::Better));
        assert_eq!(test.verdict(&Pairs { counts: [200, 500, 1000, 300, 100] }), Some(Verdict::NotBetter));
        assert!(elo(Pairs { counts: [100, 300, 1000, 500, 200] }.score()) > 20.0);
    }
}
