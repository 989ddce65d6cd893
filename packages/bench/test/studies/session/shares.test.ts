import { expect, test } from 'vitest'
import { mergedSample } from '../../../src/drive/merged.ts'
import { VirtualClock } from '../../../src/loop/clock.ts'
import { type Benchmark, interaction } from '../../../src/session/model/benchmark.ts'
import type { SessionModel } from '../../../src/session/model/session-model.ts'
import { runSessions, type SessionSample } from '../../../src/session/run/run-sessions.ts'
import { mergedFigures } from '../../../src/studies/session/program/program.ts'

/** An execution: user, number of the partition, name, time. */
type Executed = readonly [user: number, number: number, name: string, atMs: number]

interface Place {
  readonly clock: VirtualClock
  readonly log: Executed[]
}

interface Params {
  readonly user: number
  readonly number: number
  readonly ms: number
}

const act = (name: string) =>
  interaction<Place, object, Params, { readonly mode?: string | undefined }>({
    modes: ['LOST'],
    prepare: ({ user, values, draw }) => ({ user, number: Number(values['NUMBER']), ms: draw.int(2, 30) }),
    async execute({ user, number, ms }, { clock, log }) {
      log.push([user, number, name, clock.now()])
      await clock.sleep(ms)
      if (ms === 30) throw Object.assign(new Error('The line is cut.'), { code: 'ECONNRESET' })
      return ms % 7 === 0 ? { mode: 'LOST' } : {}
    },
  })

const benchmark: Benchmark<Place, object> = {
  name: 'test',
  interactions: { A: act('A'), B: act('B') },
  models: {},
  begin: () => ({}),
}

const model: SessionModel = {
  transitions: { START: ['A'], A: [{ next: 'B', prob: 0.7 }, { next: 'END' }], B: [{ next: 'A' }] },
  think: { before: { avgMs: 10, maxMs: 50 } },
  users: { count: 60, newRatio: 0.3, partition: true },
  parameters: { NUMBER: { random: 'int', min: 1, max: 24, partition: true } },
}

/** The part of a run that one of several threads has. */
async function driven(index: number, of: number): Promise<SessionSample & Pick<Place, 'log'>> {
  const clock = new VirtualClock()
  const log: Executed[] = []
  const db = { clock, log }
  const share = { index, of }
  const counts = { statistics: () => ({ committed: log.length }) }
  const timed = { clock, now: () => clock.now(), durationMs: 3_500 }
  return { ...(await runSessions({ benchmark, model, db, share, sessions: 12, ...timed, ...counts })), log }
}

test('three threads do together what one does, and their measurements add up to the same', async () => {
  const { sample, log, ...figures } = await driven(0, 1)
  const parts = await Promise.all([0, 1, 2].map((index) => driven(index, 3)))
  const inOrder = (all: readonly Executed[]): readonly string[] => all.map((one) => one.join(' ')).toSorted()
  expect(inOrder(parts.flatMap((part) => part.log))).toEqual(inOrder(log))
  expect(log.length).toBeGreaterThan(1_000)

  const merged = mergedSample(parts.map((part, index) => ({ name: `thread ${index}`, sample: part.sample })))
  expect(merged).toEqual({ ...sample, invalid: merged.invalid, own: merged.own })
  expect(sample.kinds.every(({ errors, late }) => errors > 0 && late > 0)).toBe(true)
  expect(mergedFigures(parts.map(({ log: _, sample: __, ...own }) => own))).toEqual(figures)
  expect(figures.sessions.newUsers).toBeGreaterThan(0)
})

test('no two threads have the same user or a number of the same partition', async () => {
  const parts = await Promise.all([0, 1, 2].map((index) => driven(index, 3)))
  for (const at of [0, 1] as const) {
    const each = parts.map(({ log }) => new Set(log.map((one) => one[at])))
    const all = new Set(each.flatMap((one) => [...one]))
    expect(each.reduce((sum, { size }) => sum + size, 0)).toBe(all.size)
  }
})
