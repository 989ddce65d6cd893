import { deltas } from '@unikv/study-deltas'
import { run } from '@unikv/study-run'
import { sizes } from '@unikv/study-sizes'
import type { AnyStudy } from '@unikv/workload'

/** The studies of `unikv bench`: one command each. */
export const studies: readonly AnyStudy[] = [run, sizes, deltas]
