// Means over seeds with intervals of 95 %, and Jain's index.

/** Quantiles 0.975 of Student's t for 1 to 30 degrees of freedom. */
const T = [12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.16, 2.145, 2.131, 2.12, 2.11, 2.101, 2.093, 2.086, 2.08,
  2.074, 2.069, 2.064, 2.06, 2.056, 2.052, 2.048, 2.045, 2.042];
const Z = 1.959964;

/** @param {number} degrees */
function quantile(degrees) {
  if (degrees <= T.length) return T[degrees - 1];
  // The first terms of the Cornish-Fisher expansion: right to 0.001 from 30 degrees on.
  return Z + (Z ** 3 + Z) / (4 * degrees) + (5 * Z ** 5 + 16 * Z ** 3 + 3 * Z) / (96 * degrees ** 2);
}

/** The mean of the numbers, and how far its interval of 95 % reaches; NaN for a single number.
 * @param {number[]} list @returns {{ mean: number, half: number, n: number }} */
export function estimate(list) {
  const known = list.filter(Number.isFinite);
  const n = known.length;
  if (!n) return { mean: NaN, half: NaN, n };
  const mean = known.reduce((sum, value) => sum + value, 0) / n;
  if (n < 2) return { mean, half: NaN, n };
  const variance = known.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (n - 1);
  return { mean, half: quantile(n - 1) * Math.sqrt(variance / n), n };
}

/** Jain's index of fairness: 1 if all have the same. @param {number[]} list */
export function jain(list) {
  const sum = list.reduce((total, value) => total + value, 0);
  const squares = list.reduce((total, value) => total + value * value, 0);
  return list.length && squares > 0 ? (sum * sum) / (list.length * squares) : NaN;
}
