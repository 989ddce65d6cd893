import { keyValue } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import type { Manager } from '@unikv/manager'
import type { Policy } from '@unikv/monitor/recorder'
import { mulberry32 } from '@unikv/test-kit'
import { expect, test } from 'vitest'
import { KeptLessons } from '../src/learn/kept-lessons.ts'
import type { Lessons } from '../src/learn/lessons.ts'
import type { Action } from '../src/log/action.ts'
import { TunerLog } from '../src/log/tuner-log.ts'
import { Course } from '../src/run/course.ts'
import type { Tactic } from '../src/tactic.ts'
import { figuresOf, observationOf } from './observed.ts'

const policies: readonly Policy[] = [{ store: 'users', operation: 'read', belowMs: 10 }]
const windowMs = 5000

/** A store whose reads are slow until a tactic makes them faster by a factor, watched by one process after the other. */
class Scene {
  now = Date.UTC(2026, 0, 1)
  readMs = 40
  readonly errors: unknown[] = []
  readonly log: TunerLog
  readonly #factor: number
  #course: Course
  lessons: KeptLessons

  constructor(
    factor: number,
    keeper = keyValue(memory()) as unknown as ConstructorParameters<typeof TunerLog>[0],
  ) {
    this.#factor = factor
    this.log = new TunerLog(keeper)
    this.lessons = this.#newLessons()
    this.#course = this.#newCourse()
  }

  async windows(count: number): Promise<void> {
    for (let i = 0; i < count; i += 1) {
      this.now += windowMs
      const jitter = 1 + (i % 3) / 100
      const figures = { read: figuresOf(50, this.readMs * jitter), set: figuresOf(50, 2 * jitter) }
      const troubles = this.#course.observe(observationOf(this.now, figures))
      await this.#course.goOn(troubles)
      await this.#course.settled()
    }
  }

  /** Another process goes on. */
  async restart(): Promise<void> {
    await this.#course.close()
    this.lessons = this.#newLessons()
    this.#course = this.#newCourse()
  }

  async actions(): Promise<readonly Action[]> {
    return (await this.log.actions()).map(({ action }) => action)
  }

  #newLessons(): KeptLessons {
    const onError = (error: unknown): unknown => this.errors.push(error)
    const random = mulberry32(1)
    return new KeptLessons({ log: this.log, tactics: ['faster'], clock: () => this.now, onError, random })
  }

  #newCourse(): Course {
    const place = {
      name: 'users',
      kind: 'postgres',
      table: 'users',
      manager: { configuration: { stores: {} } } as Manager,
    }
    return new Course({
      policies,
      tactics: [this.#tactic()],
      approve: () => true,
      log: this.log,
      lessons: this.lessons,
      placeOf: () => ({ ...place, kv: keyValue(memory()) as never }),
      configurationOf: () => ({}),
      by: 'test',
      onStep: () => {},
      onError: (error) => this.errors.push(error),
      clock: () => this.now,
    })
  }

  #tactic(): Tactic {
    const set = (factor: number) => async (): Promise<void> => {
      this.readMs *= factor
    }
    return {
      name: 'faster',
      knowledge: { effects: [], cost: 'none', source: 'this test' },
      limitMs: 1000,
      applies: ({ work }) =>
        work.read === undefined
          ? []
          : [{ change: {}, title: 'faster reads', latency: { read: 0.1 }, seconds: 1, figures: [] }],
      carryOut: set(this.#factor),
      undo: set(1 / this.#factor),
      isDone: async () => false,
    }
  }
}

test.each([
  [0.1, 'kept', true],
  [1.6, 'undone', false],
] as const)(
  'a tactic that makes reads take %f times as long is %s, and that is learned',
  async (factor, end, hasHelped) => {
    const scene = new Scene(factor)
    await scene.windows(7)
    const [proposed] = await scene.actions()
    expect(proposed?.path).toEqual([])
    await scene.restart()
    await scene.windows(14)
    const [action] = await scene.actions()
    expect(action?.state).toBe(end)
    expect(scene.lessons.lessons.samples).toBe(1)
    const [none = 0, faster = 0] = weightsIn(scene.lessons.lessons)
    expect(faster > 0).toBe(hasHelped)
    // A store that is well teaches once a minute that nothing need be done. That makes nothing more certain.
    await scene.windows(24)
    const [noneLater = 0] = weightsIn(scene.lessons.lessons)
    expect(noneLater > none).toBe(hasHelped)
    expect(scene.lessons.lessons.samples).toBe(1)
    expect(scene.errors).toEqual([])
  },
)

test('what was learned is told with the next proposal, and outlives the process', async () => {
  const scene = new Scene(0.1)
  await scene.windows(25)
  scene.readMs = 60
  scene.now += 2 * 86_400_000
  await scene.restart()
  expect(scene.lessons.lessons.samples).toBe(0)
  await scene.windows(4)
  expect(scene.lessons.lessons.samples).toBe(1)
  const [, again] = await scene.actions()
  expect(again?.path).toEqual([expect.stringMatching(/^in such cases this was right: .*faster/)])
  expect(again?.weighed[0]?.learned).not.toBe(1)
})

test('lessons that are damaged are told once, and begun anew', async () => {
  const keeper = keyValue(memory())
  const log = new TunerLog(keeper)
  await log.records.set('lessons', Buffer.from('no lessons'))
  const scene = new Scene(0.1, keeper)
  await scene.windows(20)
  expect(scene.errors).toEqual([expect.objectContaining({ code: 'CORRUPT' })])
  await scene.restart()
  await scene.windows(1)
  expect(scene.errors).toHaveLength(1)
})

function weightsIn(lessons: Lessons): readonly number[] {
  const { tree } = lessons.state
  return 'weights' in tree ? tree.weights : []
}
