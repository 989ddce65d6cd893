import type { StoreError } from '@unikv/core'
import { settled } from '@unikv/test-kit/schedules'
import type { WriteBehindLayer } from '@unikv/write-behind'
import { type Callers, keys } from './callers.ts'
import type { Composition, Process } from './composition.ts'
import { type History, nobody } from './history.ts'
import { virtual } from './platform.ts'
import type { Time } from './time.ts'

const longMs = 3_600_000

/** A program that has made its last call. */
export interface Program {
  readonly time: Time
  readonly composition: Composition
  readonly history: History
  readonly callers: Callers
  readonly processes: readonly Process[]
  /** Those that were killed. */
  readonly killed: readonly Process[]
  readonly wasKilled: boolean
  readonly wasRestarted: boolean
  step(): boolean
  open(place: number, isBare: boolean): Process
  close(one: Process, place: number): Promise<void>
}

/** Everything is mended and comes to its end; then the stores hold what was acknowledged, and nothing else is left. */
export async function checkEnd(program: Program, bare: Process | undefined): Promise<void> {
  const { composition, callers, processes } = program
  await callers.giveUp(1)
  for (const lane of composition.lanes) lane.heal()
  if (composition.bus !== undefined) composition.bus.isHung = false
  for (const { behind } of processes)
    if (behind !== undefined) await driven(program, 'flush', flushed(behind))
  await checkMirror(program)
  for (const [place, one] of processes.entries()) await program.close(one, place)
  if (bare !== undefined) await driven(program, 'the close outside', bare.kv.close())
  await arrived(() => program.step())
  await checkStores(program)
  if (!program.wasKilled) await checkHandles(program)
  await checkBytes(program)
  // Nothing of this program is to be met by the next one: what goes on in the memory of a process that was killed neither.
  for (const { kv } of program.killed) void kv.close().catch(() => {})
  for (let i = 0; i < 30 && virtual.waiting > 0; i++) await program.time.pass(500)
}

/** A write whose caller was told that it may take effect is there, or will not be, before all is cleared. */
async function arrived(step: () => boolean): Promise<void> {
  while (step()) await settled()
}

/** A write that was refused for good, which is told, ends a flush before the others are there. */
async function flushed(behind: WriteBehindLayer): Promise<void> {
  try {
    await behind.flush({ timeoutMs: longMs })
  } catch (error) {
    if ((error as StoreError).code !== 'VALUE_TOO_LARGE') throw error
    await flushed(behind)
  }
}

async function checkMirror(program: Program): Promise<void> {
  const { composition, callers, processes, time } = program
  const pair = processes[0]?.mirror
  if (pair === undefined || processes.length > 1) return
  if (program.wasKilled && !composition.has.isOwedDurably) return
  // Whatever may still take effect has done so: a key in doubt is looked at once more.
  for (let i = 0; i < 3; i++) {
    await time.pass(3_000)
    await driven(program, 'a pause', settled())
  }
  await driven(program, 'repair', pair.repair())
  // What a process owed that is closed is known to nobody, unless it left marks.
  const isKnown = composition.has.isOwedDurably || !program.wasRestarted
  if (pair.stats().mustResync || !isKnown) await driven(program, 'resync', pair.resync())
  const compared = await driven(program, 'verify', pair.verify())
  const { missing = 0, different = 0, extra = 0 } = (compared ?? {}) as Record<string, number>
  if (missing + different + extra > 0) callers.note(`the mirror differs: ${JSON.stringify(compared)}`)
}

async function checkStores(program: Program): Promise<void> {
  const { composition, callers, history } = program
  for (let dataset = 0; dataset < composition.has.datasets; dataset++) {
    const bare = program.open(dataset, true)
    const reader = history.reader(nobody)
    for (const key of keys) {
      const found = await driven(program, 'the last read', bare.kv.getEntry(key, { timeoutMs: longMs }))
      const wrong = history.wrong(callers.named(dataset, key), found?.value.id, reader)
      if (wrong !== undefined) callers.note(`in the end ${wrong}`)
    }
    await driven(program, 'the last clear', bare.kv.clear({ all: true, timeoutMs: longMs }))
    await driven(program, 'the last close', bare.kv.close())
  }
}

/** What was opened is closed, and nothing goes on. */
async function checkHandles(program: Program): Promise<void> {
  const { composition, callers, processes, time } = program
  for (let i = 0; i < 20 || program.step(); i++) await time.pass(50)
  if (virtual.held > 0) callers.note(`${virtual.held} timers are left`)
  if (composition.bus !== undefined && composition.bus.members > 0) callers.note('the bus was not closed')
  for (const { ports, background } of processes) {
    for (const port of ports) {
      if (port.closes === 0) callers.note(`${port.name} was not closed`)
      if (port.waiting() > 0) callers.note(`${port.name} is still asked`)
    }
    if (background.pending > 0) callers.note(`${background.pending} works go on in the background`)
    for (const error of background.rejected) callers.note(`work in the background failed: ${String(error)}`)
  }
}

/** Nothing is left of what was deleted, and caches forget in the end. */
async function checkBytes(program: Program): Promise<void> {
  const { composition, callers, processes } = program
  // What its last process could not bring to the store is in the journal still, and counted.
  const inJournal = processes.reduce((sum, { behind }) => sum + (behind?.stats().leftInJournal ?? 0), 0)
  for (let dataset = 0; dataset < composition.has.datasets; dataset++) {
    const left = await driven(program, 'leftovers', composition.leftovers(dataset, inJournal))
    if (left !== undefined && left.length > 0)
      callers.note(`${left.length} records are left: ${left.join(', ')}`)
  }
  const endless = composition.endless()
  if (endless.length > 0) callers.note(`records of caches never end: ${endless.join(', ')}`)
}

/** Let everything go on until this ends. */
async function driven<T>(program: Program, name: string, work: Promise<T>): Promise<T | undefined> {
  const { composition, callers, time } = program
  let isDone = false
  let result: T | undefined
  work.then(
    (value) => {
      result = value
      isDone = true
    },
    (error: unknown) => {
      isDone = true
      callers.note(`${name} rejected with ${String(error)}`)
    },
  )
  for (let i = 0; i < 3_000 && !isDone; i++) {
    if (!program.step()) await time.pass(50)
    composition.bus?.step()
    await settled()
  }
  if (!isDone) callers.note(`${name} never ends`)
  return result
}
