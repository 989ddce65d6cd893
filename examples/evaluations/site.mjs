// A site with a store of its own before a central one: the patients of a day are loaded, treated, and flushed back.
import { ehr } from '@unikv/bench/engine'

const day = { recent: 60, chart: 15, observe: 20, move: 5 }

export default {
  ...ehr({
    patients: Number(process.env.PATIENTS ?? 20_000),
    site: { central: process.env.CENTRAL ?? '', appointments: Number(process.env.APPOINTMENTS ?? 200) },
  }),
  // For `unikv bench run`: one load, a day of work, and one flush of all that was changed.
  phases: [
    { name: 'morning', mix: { load: 1 }, concurrency: 1, operations: 1 },
    { name: 'day', mix: day },
    { name: 'evening', mix: { flush: 1 }, concurrency: 1, operations: 1 },
  ],
}
