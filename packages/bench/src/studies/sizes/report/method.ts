import type { SizesResult } from '../result.ts'

/** How it was measured, as HTML. */
export function method({ config, cache }: SizesResult): string {
  const models = `<p>A cache’s curve at hit rate <i>h</i> is drawn with the full cost of misses. A miss asks the cache, reads the store and fills the cache, and was measured as a whole: <code>L(h) = h · L_hit + (1 − h) · (L_probe + L_store + L_fill)</code>. Where this curve meets the store without a cache, the cache begins to pay. The dotted lines are the model of the paper, <code>L(h) = h · L_hit + (1 − h) · L_store</code>, which leaves out what a miss costs on top of reading the store.</p>`
  return `<p>Every point was measured ${config.runs} ${config.runs === 1 ? 'time' : 'times'}, after one run that is not counted. Runs go through all stores and sizes in turn, and each begins with another store, so that changes of the machine fall on all alike. A run writes distinct objects under distinct keys, reads them in another order, and deletes them. Every read is checked, outside of what is timed: a record that is missing or differs makes the run invalid.</p>
<p>The value of a point is the mean of its runs; the bars and ± are the half-width of the 95 % confidence interval of that mean, by Student’s t over the runs (single operations of one run are not independent of each other). Fewer than three runs have no interval. <i>Times the fastest</i> compares the means of each run; where its interval begins at 1 or below, the stores cannot be told apart. Medians and percentiles are over all operations; percentiles are left out where fewer than ten lie beyond them. Times include unikv’s own layers. Stores on this machine may answer reads from the operating system’s page cache.</p>
${cache.length === 0 ? '' : models}
<p>“The paper” is ${paper}. Figures that correspond to one of it say so.</p>`
}

const paper =
  'Arun Iyengar, <cite>Providing Enhanced Functionality for Data Store Clients</cite> (33rd IEEE International Conference on Data Engineering, ICDE 2017)'
