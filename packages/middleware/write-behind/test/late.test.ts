import { setTimeout as sleep } from 'node:timers/promises'
import { keyValue, type StoreError } from '@unikv/core'
import { type MemoryStore, memory } from '@unikv/core/memory'
import { expect, test, vi } from 'vitest'
import { type WriteBehindOptions, writeBehind } from '../src/index.ts'
import { type Dice, diceOf } from './faults.ts'
import { type Fate, type LateJournal, lateJournal, type Sent } from './late-journal.ts'
import { behind, bytes, goesOn, textOf, turn } from './setting.ts'

/** One process: it brings nothing to its store before `flush`. */
function started(records: MemoryStore, source: MemoryStore = memory(), options: WriteBehindOptions = {}) {
  const journal = lateJournal(records)
  const layer = writeBehind({
    background: goesOn,
    journal: journal.store,
    dataset: 'tests',
    delayMs: 60_000,
    timeoutMs: 20,
    doubtMs: Number.POSITIVE_INFINITY,
    ...options,
  })
  return { journal, layer, source, records, kv: keyValue(source, [layer]) }
}

/** The next process, after a kill. */
function restarted({ journal, records, source }: ReturnType<typeof started>, options?: WriteBehindOptions) {
  journal.die()
  return started(records, source, options)
}

const unknown = { code: 'OUTCOME_UNKNOWN' }

/** Writes of the journal hang while this work goes on. */
async function hanging(journal: LateJournal, work: () => Promise<unknown>): Promise<void> {
  journal.fate = () => 'hangs'
  await work()
  journal.fate = () => 'done'
}

/** What the store has after a kill, and a restart that brings it all there. */
async function valueAfterKill(one: ReturnType<typeof started>) {
  const next = restarted(one)
  await next.layer.flush()
  return textOf(next.source.native.get('key')?.value)
}

test('a write of the journal that lands late overwrites no newer one', async () => {
  const one = started(memory())
  await hanging(one.journal, () => expect(one.kv.set('key', bytes('old'))).rejects.toMatchObject(unknown))
  await one.kv.set('key', bytes('new'))
  one.journal.sent[0]?.land()
  expect(await valueAfterKill(one)).toBe('new')
})

test('a write of the journal that lands after its key was written is not replayed', async () => {
  const one = started(memory())
  await hanging(one.journal, () => expect(one.kv.set('key', bytes('old'))).rejects.toMatchObject(unknown))
  await one.kv.set('key', bytes('new'))
  await one.layer.flush()
  await vi.waitFor(() => expect(one.records.native.size).toBe(1))
  one.journal.sent[0]?.land()
  const next = restarted(one)
  await next.layer.flush()
  expect(next.layer.stats()).toMatchObject({ replayed: 0, refused: 0 })
  expect(textOf(next.source.native.get('key')?.value)).toBe('new')
})

test('a removal that lands late removes no newer write', async () => {
  const one = started(memory())
  await one.kv.set('key', bytes('old'))
  await hanging(one.journal, async () => {
    await one.layer.flush()
    await vi.waitFor(() => expect(one.journal.sent).toHaveLength(1))
  })
  await one.kv.set('key', bytes('new'))
  one.journal.sent[0]?.land()
  expect(await valueAfterKill(one)).toBe('new')
})

test('what a killed process was in doubt of is in doubt after a restart, and leaves nothing when that ends', async () => {
  const one = started(memory())
  await hanging(one.journal, () => expect(one.kv.set('key', bytes('old'))).rejects.toMatchObject(unknown))
  await one.kv.set('key', bytes('newer'))
  const two = restarted(one)
  await two.layer.flush()
  await two.kv.set('key', bytes('newest'))
  one.journal.sent[0]?.land()
  expect(await valueAfterKill(two)).toBe('newest')
  const three = restarted(two, { doubtMs: 0 })
  expect(textOf(await three.kv.get('key'))).toBe('newest')
  await three.kv.close()
  expect(three.records.native.size).toBe(0)
  expect(three.layer.stats()).toMatchObject({ queued: 0, leftInJournal: 0 })
})

test('while calls of the journal hang, close takes its grace, and tells nothing of guards', async () => {
  const one = started(memory(), memory(), { graceMs: 20, timeoutMs: 10_000 })
  await one.kv.set('key', bytes('old'))
  one.journal.fate = () => 'hangs'
  await one.kv.close()
  expect(one.layer.stats()).toMatchObject({ queued: 0, lost: 0, leftInJournal: 0 })
})

/** What the store may have of a key: the last acknowledged write, and those of unknown outcome after it. */
type Possible = Map<string, (string | undefined)[]>

const programs = Number(process.env['UNIKV_SCHEDULES'] ?? 100)
const keys = ['a', 'b', 'c']

async function writeOne({ kv }: ReturnType<typeof started>, possible: Possible, dice: Dice, value: string) {
  const key = keys[dice(keys.length)] as string
  const next = dice(4) === 0 ? undefined : value
  try {
    await (next === undefined ? kv.delete(key) : kv.set(key, bytes(next)))
    possible.set(key, [next])
  } catch (error) {
    if ((error as StoreError).code === 'OUTCOME_UNKNOWN') possible.get(key)?.push(next)
  }
}

/** Let some of what was sent arrive, or be lost. */
function settle(sent: readonly Sent[], dice: Dice): void {
  for (const one of Array.from(sent))
    if (dice(2) === 0) one.land()
    else one.drop()
}

/** Whether the next process sees that a write may come late: a record of its generation, or of a later one. */
function isSeen({ mutation }: Sent, records: MemoryStore): boolean {
  const [name, generation = '0'] = mutation.key.split('.') as [string, string?]
  const seen = Array.from(records.native.keys(), (key) => key.split('.'))
  return seen.some(
    ([other, newest = '0']) => other === name && Number(newest) >= Math.max(1, Number(generation)),
  )
}

/** Random writes, removals, late effects and kills: what was acknowledged is never followed by anything older. */
async function runProgram(seed: number): Promise<number> {
  const dice = diceOf(seed)
  // If doubts end with their calls, nothing comes late after a kill.
  const doubtMs = dice(2) === 0 ? 0 : Number.POSITIVE_INFINITY
  const possible: Possible = new Map(keys.map((key) => [key, [undefined]]))
  const fates = ['done', 'done', 'done', 'refused', 'hangs', 'hangs'] as const
  let landed = 0
  let one = started(memory(), memory(), { doubtMs })
  let late: Sent[] = []
  for (let step = 0; step < 25; step++) {
    one.journal.fate = () => fates[dice(6)] as Fate
    const kind = dice(8)
    if (kind < 4) await writeOne(one, possible, dice, `${step}`)
    else if (kind < 5) await one.layer.flush()
    else if (kind < 7) {
      const sent = [...one.journal.sent, ...late]
      const chosen = sent[dice(sent.length || 1)]
      late = late.filter((other) => other !== chosen)
      chosen?.land()
      if (chosen !== undefined) landed++
    } else {
      one.journal.die()
      late.push(...one.journal.sent)
      const stays = (sent: Sent): boolean => doubtMs > 0 && isSeen(sent, one.records)
      settle(
        late.filter((sent) => !stays(sent)),
        dice,
      )
      late = late.filter(stays)
      one = restarted(one, { doubtMs })
    }
  }
  one.journal.die()
  settle([...one.journal.sent, ...late], dice)
  const last = restarted(one, { doubtMs: 0, timeoutMs: 10_000 })
  await last.layer.flush()
  await last.kv.close()
  for (const key of keys)
    expect(possible.get(key), `${key} of seed ${seed}`).toContain(textOf(last.source.native.get(key)?.value))
  expect(last.records.native.size, `records of seed ${seed}`).toBe(0)
  return landed
}

test('programs of late effects and kills bring back nothing older than an acknowledged write', async () => {
  const landed = await Promise.all(Array.from({ length: programs }, (_, i) => runProgram(i + 1)))
  expect(landed.reduce((sum, one) => sum + one)).toBeGreaterThan(programs)
})

test('close takes its grace once, whatever hangs', async () => {
  const journal = lateJournal(memory())
  const { kv, queue } = behind({ graceMs: 400, journal: journal.store, timeoutMs: 60_000 })
  await kv.set('a', bytes('1'))
  journal.fate = () => 'hangs'
  const left = kv.set('b', bytes('1')).catch(() => {})
  while (journal.sent.length === 0) await turn()
  const isLate = await Promise.race([queue.close().then(() => false), sleep(700, true)])
  expect(isLate).toBe(false)
  await left
})

test('what is in doubt takes no more than maxQueuedBytes, and writes go on when that is over', async () => {
  const journal = lateJournal(memory())
  journal.fate = () => 'hangs'
  const { kv, layer } = behind({ journal: journal.store, timeoutMs: 10, doubtMs: 0, maxQueuedBytes: 10_000 })
  const codes: string[] = []
  for (let i = 0; i < 100 && codes.at(-1) !== 'OVERLOADED'; i++)
    codes.push(await kv.set(`key ${i}`, bytes('1')).then(String, ({ code }: StoreError) => code))
  expect(codes.at(-1)).toBe('OVERLOADED')
  expect(journal.sent.length).toBeGreaterThan(10)
  expect(layer.stats().inDoubt).toBe(journal.sent.length)
  journal.fate = () => 'done'
  while (journal.sent.length > 0) journal.sent[0]?.drop()
  while (layer.stats().inDoubt > 0) await sleep(1)
  // A busy process may need more than the 10 ms.
  await vi.waitFor(() => kv.set('key', bytes('1')))
})

test('one removal takes along no more than 100 of those that failed', async () => {
  const { journal, layer, kv } = started(memory())
  const guards: string[] = []
  const keys = Array.from({ length: 250 }, (_, i) => `key ${i}`)
  await hanging(journal, () => kv.setMany(keys.map((key) => [key, bytes('1')])).catch(() => {}))
  journal.fate = ({ type, key }) => {
    if (type === 'set' && key.endsWith('.1')) guards.push(key)
    return 'done'
  }
  for (const many of [100, 200, 250]) {
    await kv.set('other', bytes('1'))
    await layer.flush()
    while (guards.length < many) await turn()
    for (let i = 0; i < 50; i++) await turn()
    expect(guards).toHaveLength(many)
  }
})
