import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { keyValue, StoreError } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Approve, approved } from '../src/approval.ts'
import { verdictOf } from '../src/check/verdict.ts'
import { hookTactic, type Tactic, TunerLog } from '../src/index.ts'
import { Lease } from '../src/log/lease.ts'
import { placeOf } from '../src/run/place-of.ts'
import { actionOf } from './actions.ts'
import { World } from './simulation/world.ts'

const day = 86_400_000
const knowledge = { effects: [], cost: 'Nothing at all.', source: 'a test' }
let folder = ''

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'unikv-hooks-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

async function hook(script: string, mode = 0o755): Promise<string> {
  const path = join(folder, `${Math.random().toString(36).slice(2)}.sh`)
  await writeFile(path, `#!/bin/sh\n${script}\n`)
  await chmod(path, mode)
  return path
}

function hooked(command: string, more: { estimate?: object; limitMs?: number } = {}): Tactic {
  const estimate = { title: 'a replica', latency: { read: 0.2 }, seconds: 1, figures: [], ...more.estimate }
  return hookTactic({
    name: 'add-replica',
    command: [command],
    stores: ['users'],
    knowledge,
    estimate: () => estimate,
    limitMs: more.limitMs,
  })
}

/** A tactic that does what it is told to. */
function tacticOf(more: Partial<Tactic>): Tactic {
  return {
    name: 'planted',
    limitMs: 1000,
    knowledge,
    applies: () => [
      { change: { planted: true }, title: 'a change', latency: { read: 0.2 }, seconds: 0, figures: [] },
    ],
    carryOut: async () => {},
    undo: async () => {},
    isDone: async () => true,
    ...more,
  }
}

function worldWith(tactic: Tactic, approve: Approve = () => true) {
  const errors: unknown[] = []
  const world = new World(
    { reads: 100, readMs: 20 },
    {
      policies: [{ store: 'users', operation: 'read', belowMs: 5 }],
      approve,
      tactics: [tactic],
      onError: (error) => errors.push(error),
    },
  )
  return { world, errors }
}

const textOf = (steps: readonly { state: string; note?: string | undefined }[]): string =>
  steps.map(({ state, note = '' }) => `${state} ${note}`).join('\n')

test('a hook that is missing fails, is tried again ever more seldom, and is given up in the end', async () => {
  const { world } = worldWith(hooked('/not/there.sh'))
  await world.windows(20)
  const [begun] = await world.actions()
  expect(begun?.state).toBe('begun')
  expect(begun?.steps.length).toBeLessThan(10)
  for (let i = 0; i < 40 && (await world.actions())[0]?.state === 'begun'; i += 1) await world.windows(50)
  await world.windows(100)
  const [failed] = await world.actions()
  expect(failed?.state).toBe('failed')
  expect(textOf(failed?.steps ?? [])).toContain('The hook /not/there.sh is not there')
  expect(failed?.steps.at(-1)?.note).toContain('It is not tried again: see to it yourself.')
  // It is proposed again after an hour, not at each look.
  expect((await world.actions()).length).toBeLessThanOrEqual(3)
})

test.each([
  ['exit 3', 'it ended with code 3.'],
  ['echo broken >&2; exit 1', 'it ended with code 1. broken.'],
  ['echo nonsense', 'its last line must be JSON such as {"done":true}, got \'nonsense\''],
  ['kill -9 $$', 'it was ended by SIGKILL.'],
  ['yes x | head -c 3000000; exit 1', 'it ended with code 1.'],
  ['grep -q status && echo \'{"done":false}\' || echo \'{"done":true}\'', 'but its status is not done'],
])('a hook that does %j fails with its reason', async (script, reason) => {
  const { world } = worldWith(hooked(await hook(script)))
  await world.windows(6)
  const [action] = await world.actions()
  expect(textOf(action?.steps ?? [])).toContain(reason)
  expect(['begun', 'failed']).toContain(action?.state)
})

test('a hook that may not be executed is refused with a sentence', async () => {
  const { world } = worldWith(hooked(await hook('echo', 0o644)))
  await world.windows(6)
  expect(textOf((await world.actions())[0]?.steps ?? [])).toMatch(/The hook \S+ may not be executed/)
})

test('a hook whose child lives on and keeps the output open is not waited for', async () => {
  const pids = join(folder, 'children')
  const { world } = worldWith(hooked(await hook(`sleep 600 & echo $! >> ${pids}; echo '{"done":true}'`)))
  await world.windows(5)
  expect((await world.actions())[0]?.state).toBe('checking')
  for (const pid of (await readFile(pids, 'utf8')).trim().split('\n').map(Number)) {
    expect(await isThere(pid)).toBe(true)
    process.kill(pid)
  }
})

test('a hook that hangs is ended with all that it started, and fails with its limit', async () => {
  const pids = join(folder, 'pids')
  const hangs = `sleep 3600 & echo $$ $! > ${pids}; wait;;`
  const others = `*undo*) echo '{"done":true}';; *) echo '{"done":false}';;`
  const { world } = worldWith(
    hooked(await hook(`read line\ncase $line in *'"do"'*) ${hangs} ${others} esac`), {
      limitMs: 4000,
    }),
  )
  await world.windows(6)
  const [action] = await world.actions()
  expect(action?.state).toBe('failed')
  expect(textOf(action?.steps ?? [])).toContain('It took longer than 4 s.')
  const started = (await readFile(pids, 'utf8')).trim().split(' ').map(Number)
  expect(started).toHaveLength(2)
  for (const pid of started) await expect.poll(() => isThere(pid)).toBe(false)
}, 60_000)

/** Whether a process runs. One that ended and was not waited for yet does not. */
async function isThere(pid: number): Promise<boolean> {
  const status = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => ') Z')
  return !/\) Z/.test(status)
}

test('a tactic that never ends is over with its time', async () => {
  const never = async (): Promise<void> => new Promise(() => {})
  const { world } = worldWith(tacticOf({ carryOut: never, limitMs: 50 }))
  await world.windows(5)
  expect((await world.actions())[0]).toMatchObject({ state: 'failed', isOn: false })
}, 30_000)

test.each([
  [{ figures: [{ name: 'x', value: Number.NaN, unit: 's' }] }, "the figure 'x' must be a number"],
  [{ seconds: Number.POSITIVE_INFINITY }, '`seconds` must be a number of at least 0'],
  [{ latency: { read: Number.NaN } }, '`read` must be a number of at least 0'],
  [{ title: '' }, '`title` must be a text'],
])('an estimate of %j is told, and nothing is proposed', async (estimate, reason) => {
  const { world, errors } = worldWith(hooked('/not/there.sh', { estimate }))
  await world.windows(10)
  expect(String(errors[0])).toContain(reason)
  expect(await world.actions()).toEqual([])
})

test('a log that cannot be written when a change was made does not take it back', async () => {
  let [done, undone] = [0, 0]
  const { world, errors } = worldWith(
    tacticOf({
      carryOut: async () => void (done += 1),
      undo: async () => void (undone += 1),
    }),
  )
  const change = world.log.change.bind(world.log)
  world.log.change = async (kept, changed, step) => {
    if (step?.state === 'checking' && done < 4) throw new StoreError('UNAVAILABLE', 'The log is away.')
    return change(kept, changed, step)
  }
  await world.windows(8)
  expect(errors.length).toBeGreaterThan(0)
  expect(undone).toBe(0)
  expect((await world.actions())[0]?.state).toBe('checking')
})

test.each([
  ['throws', () => Promise.reject(new Error('no'))],
  ['says what is not true', () => 'yes' as unknown as boolean],
])('a function that %s is no yes', async (_, approve) => {
  const { world } = worldWith(tacticOf({}), approve)
  await world.windows(30)
  expect((await world.actions()).map(({ state }) => state)).toEqual(['proposed'])
  expect(world.carriedOut).toEqual([])
})

test('a function that never answers leaves it to the owner, and ends with the tuner', async () => {
  const { world } = worldWith(tacticOf({}), () => new Promise<boolean>(() => {}))
  await world.windows(2)
  const third = world.windows(1)
  await wait(50)
  world.course.stop()
  await third
  await world.course.close()
  expect((await world.actions()).map(({ state }) => state)).toEqual(['proposed'])
})

test('a policy with hours says yes when they begin, also to what was proposed before', async () => {
  const hours = { from: '22:00', to: '05:00' }
  const { world } = worldWith(tacticOf({}), { tactics: ['planted'], stores: ['users'], mostPerDay: 1, hours })
  world.now += 14 * 3_600_000
  await world.windows(10)
  expect((await world.actions())[0]?.state).toBe('proposed')
  world.now += 7.9 * 3_600_000
  await world.windows(5)
  expect((await world.actions())[0]?.state).toBe('proposed')
  world.now += 3_600_000
  await world.windows(3)
  expect((await world.actions())[0]?.steps.map(({ state }) => state)).toContain('approved')
})

test('a look at a server that never answers ends with the tuner', async () => {
  const { world, errors } = worldWith(tacticOf({}))
  const [tactic] = world.tactics
  ;(tactic as { look: unknown }).look = () => new Promise(() => {})
  await world.windows(2)
  const third = world.windows(1)
  await wait(50)
  world.course.stop()
  await expect(third).rejects.toMatchObject({ code: 'CLOSED' })
  expect([errors, await world.actions()]).toEqual([[], []])
})

test('a lease that is damaged, or of a foreign program, is taken over', async () => {
  const log = new TunerLog(keyValue(memory()))
  await log.records.set('lease', new TextEncoder().encode('nonsense'))
  let now = 0
  const lease = new Lease(log, 'web-1', 1000, () => now)
  expect(await lease.hold()).toBe(false)
  now += 1001
  expect(await lease.hold()).toBe(true)
})

test('a clock that is set back does not stop a check', async () => {
  const { world } = worldWith(tacticOf({ carryOut: async () => void (world.readFactor = 0.1) }))
  await world.windows(6)
  world.now -= 3_600_000
  await world.windows(12)
  expect((await world.actions())[0]?.state).toBe('kept')
})

test('a check of a store that is not called any more ends', async () => {
  const { world } = worldWith(tacticOf({}))
  await world.windows(7)
  expect((await world.actions())[0]?.state).toBe('checking')
  world.spec = {}
  world.stepMs = 600_000
  await world.windows(9)
  const [action] = await world.actions()
  expect(action?.state).toBe('undone')
  expect(textOf(action?.steps ?? [])).toContain('it could not be measured')
})

test('a clock that jumps a day ahead makes one proposal lapse, and no more', async () => {
  const { world } = worldWith(tacticOf({}), 'ask')
  await world.windows(5)
  world.now += 1.1 * day
  await world.windows(10)
  expect((await world.actions()).map(({ state }) => state)).toEqual(['lapsed', 'proposed'])
})

test('the number of a day counts actions that were approved and have not begun yet', async () => {
  const policy = { tactics: ['planted'], stores: ['users'], mostPerDay: 1 }
  const signal = new AbortController().signal
  const other = actionOf({ store: 'b', steps: [{ at: 2 * day, state: 'approved', by: 'web-1' }] })
  expect(await approved(policy, actionOf(), [other], 2.5 * day, signal)).toBe(false)
  expect(await approved(policy, actionOf(), [other], 3.1 * day, signal)).toBe(true)
})

test('calls that are counted under the name of a method are of no store', () => {
  for (const name of ['constructor', 'toString', '__proto__'])
    expect(placeOf(name, { stores: {} } as never)).toBe(undefined)
})

test('a latency of 0 leaves a verdict of numbers', () => {
  const samples = Array.from({ length: 10 }, (_, at) => {
    const work = { read: { meanMs: 1 + at / 100, callsPerSecond: 5 }, set: { meanMs: 0, callsPerSecond: 5 } }
    return { at, isOn: at > 4, work }
  })
  const { ratio, aim, interval } = verdictOf({ samples, aim: 'read', concerns: ['read'] })
  for (const figure of [ratio, aim, ...interval]) expect(figure).toBeGreaterThan(0)
})
