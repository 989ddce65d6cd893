import { deltas } from '@unikv/study-deltas'
import { sizes } from '@unikv/study-sizes'
import type { AnyStudy } from '@unikv/workload'

/** The studies of `unikv bench`: one command each. */
export const studies: readonly AnyStudy[] = [sizes, deltas]
