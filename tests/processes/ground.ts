import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type OwnServer, ownServer } from '@unikv/test-kit'
import { afterAll, beforeAll } from 'vitest'
import type { Rejection } from './excuses.ts'
import type { Violation } from './judge.ts'
import { longest, type RunResult, type RunSetting, run } from './run.ts'
import { bundleWorker } from './worker.ts'

/** A test of processes ends by what it counts, not by time. */
export const longMs = 3_600_000

export const processesSeed = Number(process.env['UNIKV_SEED'] ?? 1)

/** What the processes of a test file run on: there from its first test on. */
export class Ground {
  folder = ''
  /** The program of a process. */
  script = ''
  source!: OwnServer
  /** The cache store, and the server of the bus. */
  store!: OwnServer

  /** Lets processes run, and prints what came out. */
  async judged(
    name: string,
    setting: Omit<RunSetting, 'folder' | 'script' | 'sourceUrl' | 'cacheUrl' | 'seed'> & Partial<RunSetting>,
  ): Promise<RunResult> {
    const { folder, script } = this
    const urls = { sourceUrl: this.source.url, cacheUrl: this.store.url }
    const result = await run({ folder, script, ...urls, seed: processesSeed, ...setting })
    const { violations, despiteTold, unexcused, ...counts } = result
    const all = `${violations.length} older than acknowledged (${longest(violations).toFixed(0)} ms at most)`
    const told = `${despiteTold.length} of them although told (${longest(despiteTold).toFixed(0)} ms at most)`
    console.log(
      `${name}, seed ${setting.seed ?? processesSeed}: ${all}, ${setting.bus === undefined ? '' : `${told}, `}${unexcused.length} wrongly rejected; ${JSON.stringify(counts)}`,
    )
    return result
  }
}

/** Starts two Redis servers and makes the program, for the tests of a file. */
export function grounds(): Ground {
  const ground = new Ground()
  beforeAll(async () => {
    ground.folder = await mkdtemp(join(tmpdir(), 'unikv-processes-'))
    ground.script = await bundleWorker(ground.folder)
    ground.source = await ownServer('redis')
    ground.store = await ownServer('redis')
  })
  afterAll(async () => {
    await Promise.all([ground.source?.stop(), ground.store?.stop()])
    await rm(ground.folder, { recursive: true, force: true })
  })
  return ground
}

/** What a write may be told while the cache store cannot be: before it is sent, or when its end cannot be confirmed. */
export const refusals = {
  calls: ['write'],
  codes: ['UNAVAILABLE', 'OUTCOME_UNKNOWN'],
  fromMs: 0,
  untilMs: Number.POSITIVE_INFINITY,
} as const

/** The first of what must not be, to be compared with `nothing`. */
export function wrong(violations: readonly Violation[], unexcused: readonly Rejection[]) {
  return { violations: violations.slice(0, 3), unexcused: unexcused.slice(0, 3) }
}

export const nothing = { violations: [], unexcused: [] }
