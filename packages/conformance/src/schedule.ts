import assert from 'node:assert/strict'
import { isStoreError } from '@unikv/core'
import { assertAllSame, assertSame, rejectsWith } from './assertions.ts'
import type { Fixture } from './fixture.ts'
import { type Random, random } from './random.ts'

/*
 * A schedule: calls of one caller on a few keys, most of them without waiting for the one before. A Map that
 * does the same one after another says what each call must answer.
 */

/** The state of one caller. */
interface Caller {
  readonly t: Fixture
  readonly random: Random
  readonly keys: readonly string[]
  readonly model: Map<string, number>
  nextValue: number
}

type Step = (caller: Caller) => Promise<unknown>

/** Run the schedule of this seed and compare every answer with the model. */
export async function runSchedule(t: Fixture, seed: number): Promise<void> {
  const dice = random(seed)
  const caller: Caller = {
    t,
    random: dice,
    keys: ['a', 'b', 'c'].map((key) => `${seed}:${key}`),
    model: new Map(),
    nextValue: seed * 1_000,
  }
  const choice = t.capabilities.conditionalWrite ? [...steps, setIfAbsent] : steps
  const underWay: Promise<unknown>[] = []
  try {
    for (let length = 4 + dice.below(12); length > 0; length--) {
      const step = dice.pick(choice)(caller)
      // Looked at in the end; until then a failure is not unhandled.
      step.catch(() => {})
      underWay.push(step)
      await breather(dice, underWay)
    }
    await Promise.all(underWay)
    assertAllSame(
      await t.kv.getMany(caller.keys),
      caller.keys.map((key) => expected(caller, key)),
      'final value',
    )
  } catch (error) {
    await Promise.allSettled(underWay)
    throw new Error(`The schedule of seed ${seed} fails: ${(error as Error).message}`, { cause: error })
  }
}

/** Mostly none: then the next call starts in the same tick. */
async function breather(dice: Random, underWay: readonly Promise<unknown>[]): Promise<void> {
  const roll = dice.below(12)
  if (roll === 0) await underWay.at(-1)
  else if (roll === 1) await new Promise((resolve) => setImmediate(resolve))
  else if (roll === 2) await Promise.resolve()
}

const get: Step = async (caller) => {
  const key = caller.random.pick(caller.keys)
  const wanted = expected(caller, key)
  assertSame(await caller.t.kv.get(key), wanted, `get ${key}`)
}

const has: Step = async (caller) => {
  const key = caller.random.pick(caller.keys)
  const wanted = caller.model.has(key)
  assert.equal(await caller.t.kv.has(key), wanted, `has ${key}`)
}

const getMany: Step = async (caller) => {
  const keys = caller.random.shuffle(caller.keys)
  const wanted = keys.map((key) => expected(caller, key))
  assertAllSame(await caller.t.kv.getMany(keys), wanted, `getMany ${keys.join(' ')}: item`)
}

const set: Step = async (caller) => {
  const key = caller.random.pick(caller.keys)
  await caller.t.kv.set(key, next(caller, key))
}

const setMany: Step = async (caller) => {
  const keys = caller.random.shuffle(caller.keys).slice(1)
  const results = await caller.t.kv.setMany(keys.map((key) => [key, next(caller, key)]))
  assert.ok(!results.some(isStoreError), 'every item of setMany succeeds')
}

const remove: Step = async (caller) => {
  const key = caller.random.pick(caller.keys)
  caller.model.delete(key)
  await caller.t.kv.delete(key)
}

const setIfAbsent: Step = async (caller) => {
  const key = caller.random.pick(caller.keys)
  const { kv, value } = caller.t
  if (caller.model.has(key))
    await rejectsWith('CONDITION_FAILED', () => kv.set(key, value(0), { ifVersion: null }))
  else await kv.set(key, next(caller, key), { ifVersion: null })
}

const steps: readonly Step[] = [get, get, get, has, getMany, set, set, set, setMany, remove, remove]

/** A new value, which the model takes at once. */
function next(caller: Caller, key: string): unknown {
  const n = caller.nextValue++
  caller.model.set(key, n)
  return caller.t.value(n)
}

function expected({ t, model }: Caller, key: string): unknown {
  const n = model.get(key)
  return n === undefined ? undefined : t.value(n)
}
