import { z } from 'zod'
import {
  allowedMisses,
  callers,
  connectionCount,
  mergedCalls,
  mostInFlight,
  mostOperations,
  runLength,
  threadCount,
  thresholds,
  warmupLength,
  workerCount,
} from '../../driven/given/loop-options.ts'
import type { DrivenBody } from '../../driven/result.ts'
import { parseRate, type RatePlan, ratePlanSchema } from '../../loop/rate-plan.ts'
import { workloadSchema } from '../../operations/workload.ts'
import { choice, text, time } from '../../options/forms.ts'
import { eachPhaseHas, type Idle, option, type Plain } from '../../options/option.ts'
import { wrong } from '../../study/faults.ts'
import type { StudyResult } from '../../study/study.ts'
import { runsSchema, studyShape } from '../../study/study-config.ts'
import { type Phase, parsePhases, phaseSchema } from './phases/given-phases.ts'

/** The parts of a configuration on which options depend. */
interface Loop {
  readonly rate: RatePlan | null
  readonly phases: readonly Phase[]
}

const needsRate: Idle = { when: (loop: Loop) => !hasRate(loop), why: 'needs --rate.' }
const ownLoop = eachPhaseHas(({ rate, concurrency }) => rate !== null || concurrency !== null)
const command = option(z.string().min(1).nullable().default(null), { alike: null, ...text('<command>') })

/** The schema of a configuration, with defaults. */
export const runConfigSchema = z.strictObject({
  workload: workloadSchema,
  /** The table whose records are used; `null`: records are loaded, and deleted in the end. */
  table: option(z.string().nullable().default(null), {
    help: 'use the records that bench load left in this table',
    ...text('<name>'),
    alike: 'records of a table',
    agreeing: (table) => table !== null,
  }),
  /** Callers that each wait for their answer. Without a rate only. */
  concurrency: option(callers, {
    idle: [
      {
        when: ({ rate }: Loop) => rate !== null,
        why: 'says nothing beside --rate: use --max-in-flight.',
      },
      ownLoop,
    ],
  }),
  /** Worker threads that share the callers, or the rate. */
  threads: threadCount,
  merge: mergedCalls,
  connections: connectionCount,
  allowMisses: allowedMisses,
  /** Workers elsewhere that share the callers, or the rate; 0: this process alone. */
  workers: workerCount,
  /** Operations a second that begin whether or not earlier ones have ended; `null`: each caller begins when it has its answer. */
  rate: option(ratePlanSchema.nullable().default(null), {
    help: 'operations a second that begin whether or not earlier ones have ended; 100..1000/30s is a ramp, 100,200/10s are steps',
    argument: '<rate>',
    parse: parseRate,
    guide: 'Parts can follow each other: `0..500/1m,500/5m`.',
    idle: [ownLoop],
    alike: 'rate',
  }),
  arrivals: option(z.enum(['constant', 'poisson']).default('constant'), {
    help: 'with a rate: constant, or poisson, as many independent users arrive',
    idle: [needsRate],
    alike: 'arrivals',
  }),
  /** With a rate: most operations in flight. */
  maxInFlight: option(mostInFlight, { idle: [needsRate] }),
  /** With a rate: what becomes of operations beyond the most in flight. */
  whenFull: option(z.enum(['drop', 'queue']).default('drop'), {
    help: 'with a rate: drop and count what is beyond that, or let it wait, as its response times tell',
    alike: null,
    idle: [needsRate],
  }),
  /** Length of one run. */
  durationMs: runLength.default(10_000),
  /** Most operations of one run. */
  operations: mostOperations,
  /** `steady`: until its seconds are alike, a minute at most. */
  warmupMs: option(z.union([warmupLength, z.literal('steady')]).default(2_000), {
    flag: 'warmup',
    help: 'length of the warm-up, such as 5s, or steady: until its seconds are alike',
    ...time,
    argument: '<time|steady>',
    parse: (given) => (given === 'steady' ? given : time.parse(given)),
    alike: null,
    guide: 'A steady one lasts a minute at most, and the report says if the seconds never were alike.',
  }),
  /** Parts of each run; none: a run is one part. */
  phases: option(z.array(phaseSchema).default([]), {
    help: 'parts of a run with name, mix, rate or concurrency, and duration, as JSON; easier in a --config file',
    argument: '<json>',
    parse: parsePhases,
    takesJson: true,
    guide: 'See [below](#phases).',
    alike: 'phases',
  }),
  runs: option(runsSchema.default(3), { help: 'measured runs of each store; at most 30 with --until' }),
  /** How records are brought back as they were loaded, before each run: not at all, by a snapshot, or by commands. */
  reset: option(z.enum(['none', 'snapshot', 'commands']).default('none'), {
    help: 'bring the records back as they were loaded, before each run: snapshot',
    ...choice('none', 'snapshot'),
    idle: [
      {
        when: ({ save }: { readonly save: string | null }) => save !== null,
        why: 'says nothing beside --save and --restore.',
      },
    ],
    alike: 'records brought back',
  }),
  /** The command that keeps the records; `null` unless `reset` is `commands`. */
  save: option(command, {
    help: 'command that keeps the loaded records, such as a backup; it gets their place as JSON',
    idle: [
      {
        when: ({ restore }: { readonly restore: string | null }) => restore === null,
        why: 'needs --restore, the command that brings the records back.',
      },
    ],
  }),
  /** The command that brings them back. */
  restore: option(command, {
    help: 'command that brings them back before each run (with --save)',
    idle: [
      {
        when: ({ save }: { readonly save: string | null }) => save === null,
        why: 'needs --save, the command that keeps the records.',
      },
    ],
  }),
  /** No further runs when the 95 % interval of each store reaches no farther than this share to either side; `null`: all of `runs`. */
  until: option(z.number().positive().max(1).nullable().default(null), {
    help: 'stop after the run in which the 95 % interval is this narrow, such as 2%',
    argument: '<share>',
    alike: null,
    parse: parseShare,
    guide: 'It is the interval of the rate, or at a rate of the times.',
    idle: [
      {
        when: ({ runs }: { readonly runs: number }) => runs < 3,
        why: 'needs three runs or more.',
      },
    ],
  }),
  /** Bounds of figures; a run beyond one of them fails. */
  failIf: thresholds,
  /** A run ends once a threshold is crossed beyond doubt, and no further ones follow. */
  failFast: option(z.boolean().default(false), {
    help: 'end the run when a threshold is crossed beyond doubt',
    alike: null,
    idle: [
      {
        when: ({ failIf }: { readonly failIf: readonly unknown[] }) => failIf.length === 0,
        why: 'needs --fail-if.',
      },
    ],
  }),
  ...studyShape,
})

/** The full configuration of the study, as it appears in the result. */
export type RunConfig = Plain<typeof runConfigSchema>

function hasRate({ rate, phases }: Loop): boolean {
  if (phases.length === 0) return rate !== null
  return phases.some((phase) => phase.rate !== null || (rate !== null && phase.concurrency === null))
}

function parseShare(given: string): number {
  const [, amount] = /^\s*(\d+(?:\.\d+)?)\s*%\s*$/.exec(given) ?? []
  const share = Number(amount) / 100
  if (share > 0 && share <= 1) return share
  throw wrong(`'${given}' is not a share. Write it like 2% or 0.5%.`)
}

/** The whole result of `unikv bench run`: `result.json`. */
export type RunResult = StudyResult<RunConfig, DrivenBody>
