import { isStoreError, StoreError } from '@unikv/core'
import { wallClock } from '@unikv/core/platform'
import type { LessonsState } from '../lessons-state.ts'
import { type Found, foundIn, keepFound } from './found.ts'
import { labelOf, type Round } from './label.ts'
import { type Cell, cellsOf, type Mix, nameOf, type Trial, trials } from './plan.ts'
import { SetUp } from './set-up.ts'
import { taught } from './taught.ts'

/** The things to try, and the place where results are kept. */
export interface LearnBeforeOptions {
  /** URLs of stores. A store in memory among them is tried as a tier before the others. */
  readonly stores: readonly string[]
  /** Results are kept there after each situation: a second run goes on. */
  readonly file: string
  /** About how long it takes, at most 30. @default 30 */
  readonly minutes?: number | undefined
  /** Core workloads of YCSB. @default all, from A to F */
  readonly mixes?: readonly Mix[] | undefined
  readonly signal: AbortSignal
  /** Told after each situation. */
  readonly onProgress?: ((done: number, of: number, cell: string, label: string) => void) | undefined
}

/** Rounds of each set-up, which take turns. */
const roundsOfEach = 5
/** Share of the time that is measured; the rest loads records. */
const measured = 0.75

type Opened = readonly (readonly [trial: Trial, setUp: SetUp])[]

/**
 * Learn which tactic helps before a program runs: by the core workloads of YCSB, on the user's own stores, over set-ups of unikv.
 * All records are in a namespace of their own, and are deleted.
 *
 * @throws {StoreError} of a store that cannot be reached or cleaned up, or of a file that is none; the reason of the signal
 */
export async function learnBefore(options: LearnBeforeOptions): Promise<LessonsState> {
  const { stores, file, signal, onProgress } = options
  const cells = cellsOf(stores.length, options.mixes)
  let found = await foundIn(file)
  const open = cells.filter((cell) => found.cells[nameOf(cell)] === undefined)
  const roundMs = roundMsOf(options, cells.length)
  for (const [store, url] of stores.entries()) {
    const own = open.filter((cell) => cell.store === store)
    if (own.length === 0) continue
    const opened = await openedTrials(url, stores)
    try {
      for (const cell of own) {
        const one = await tried(cell, opened, roundMs, signal)
        found = withCell(found, cell, one, opened)
        await keepFound(file, found)
        onProgress?.(Object.keys(found.cells).length, cells.length, nameOf(cell), one.label)
      }
    } finally {
      await Promise.all(opened.map(([, setUp]) => setUp.close()))
    }
  }
  const lessons = taught(found, wallClock())
  await keepFound(file, { ...found, lessons })
  return lessons
}

function roundMsOf({ minutes = 30 }: LearnBeforeOptions, cells: number): number {
  if (!(minutes > 0 && minutes <= 30))
    throw new StoreError('INVALID_ARGUMENT', 'minutes must be above 0, and at most 30.')
  const rounds = cells * trials.length * (roundsOfEach + 1)
  return Math.max(20, Math.min(2000, (minutes * 60_000 * measured) / rounds))
}

async function openedTrials(url: string, stores: readonly string[]): Promise<Opened> {
  const memoryUrl = stores.find((other) => other !== url && /^(redis|rediss|memcached|valkey):/.test(other))
  const opened: (readonly [Trial, SetUp])[] = []
  for (const trial of trials) {
    const layers = trial.layers(memoryUrl === undefined ? undefined : 'memory')
    if (layers !== undefined) opened.push([trial, await SetUp.open(trial.name, { url, layers, memoryUrl })])
  }
  return opened
}

type Tried = Found['cells'][string]

/** One situation: all set-ups in turn, and the numbers of the plain store. Set-ups that a store cannot have teach nothing. */
async function tried(cell: Cell, opened: Opened, roundMs: number, signal: AbortSignal): Promise<Tried> {
  const rounds: Record<string, Round[]> = {}
  const vectors: number[][] = []
  try {
    for (let i = 0; i <= roundsOfEach; i += 1)
      for (const [{ name, tactic }, setUp] of opened) {
        const round = await setUp.round(cell, roundMs, signal)
        signal.throwIfAborted()
        // The first round fills caches, and compiles.
        if (i === 0) continue
        rounds[name] = [...(rounds[name] ?? []), round]
        if (tactic === 'none') vectors.push(Array.from(setUp.vector()))
      }
  } catch (error) {
    if (!isStoreError(error) || error.code !== 'UNSUPPORTED') throw error
    return { label: 'none', rounds: {}, vectors: [] }
  }
  return { label: labelOf(rounds), rounds, vectors }
}

function withCell(found: Found, cell: Cell, one: Tried, opened: Opened): Found {
  const [[, plain] = []] = opened
  const stores = [...found.stores]
  stores[cell.store] = [plain?.kind, plain?.version].filter((part) => part !== undefined).join(' ')
  return { ...found, stores, cells: { ...found.cells, [nameOf(cell)]: one } }
}
