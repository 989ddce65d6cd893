import type { AnyStudy } from '@unikv/bench'
import { consistency } from '@unikv/bench/studies/consistency'
import { deltas } from '@unikv/bench/studies/deltas'
import { evaluation } from '@unikv/bench/studies/evaluation'
import { load } from '@unikv/bench/studies/load'
import { overhead } from '@unikv/bench/studies/overhead'
import { replay } from '@unikv/bench/studies/replay'
import { run } from '@unikv/bench/studies/run'
import { session } from '@unikv/bench/studies/session'
import { sizes } from '@unikv/bench/studies/sizes'
import { sweep } from '@unikv/bench/studies/sweep'

/** The studies of `unikv bench`: one command each. */
export const studies: readonly AnyStudy[] = [load, run, sweep, replay, sizes, deltas, overhead, consistency]

/** All of them, and those with a command of their own: every result that can be read. */
export const readableStudies: readonly AnyStudy[] = [...studies, evaluation, session]
