import { consistency } from '@unikv/study-consistency'
import { deltas } from '@unikv/study-deltas'
import { evaluation } from '@unikv/study-evaluation'
import { load } from '@unikv/study-load'
import { overhead } from '@unikv/study-overhead'
import { replay } from '@unikv/study-replay'
import { run } from '@unikv/study-run'
import { session } from '@unikv/study-session'
import { sizes } from '@unikv/study-sizes'
import { sweep } from '@unikv/study-sweep'
import type { AnyStudy } from '@unikv/workload'

/** The studies of `unikv bench`: one command each. */
export const studies: readonly AnyStudy[] = [load, run, sweep, replay, sizes, deltas, overhead, consistency]

/** All of them, and those with a command of their own: every result that can be read. */
export const readableStudies: readonly AnyStudy[] = [...studies, evaluation, session]
