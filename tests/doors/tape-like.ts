import assert from 'node:assert/strict'

/** What the suite of abstract-level calls: the assertions of tape that it uses. */
class Assertions {
  passed = 0
  readonly failed: string[] = []
  readonly inner: Case[] = []
  #planned: number | undefined
  #isEnded = false
  #told = (): void => {}
  readonly #title: string

  constructor(title: string) {
    this.#title = title
  }

  readonly plan = (count: number): void => void (this.#planned = count)
  readonly test = (title: string, run: Run): void => void this.inner.push({ title, run })
  readonly pass = (): void => this.#check(() => {})
  readonly fail = (message?: unknown): void => this.#check(() => assert.fail(String(message)))
  readonly ok = (value: unknown): void => this.#check(() => assert.ok(value))
  readonly is = (value: unknown, wanted: unknown): void => this.#check(() => assert.equal(value, wanted))
  readonly isNot = (value: unknown, other: unknown): void => this.#check(() => assert.notEqual(value, other))
  readonly same = (value: unknown, wanted: unknown): void =>
    this.#check(() => assert.deepEqual(value, wanted))
  readonly throws = (run: () => void, like?: RegExp | ((error: unknown) => boolean)): void =>
    this.#check(() => (like === undefined ? assert.throws(run) : assert.throws(run, like)))
  readonly doesNotThrow = (run: () => void): void => this.#check(() => assert.doesNotThrow(run))

  readonly end = (error?: unknown): void => {
    this.#isEnded = true
    if (error) this.#check(() => assert.fail(`ended with ${(error as Error).message}`))
    this.#told()
  }

  /** Resolves when as much was asserted as was planned, or `end` was called. */
  ended(isPromised: boolean): Promise<void> {
    const isOver = (): boolean =>
      this.#planned === undefined
        ? this.#isEnded || isPromised
        : this.passed + this.failed.length >= this.#planned
    return new Promise((resolve) => {
      this.#told = () => isOver() && resolve()
      this.#told()
    })
  }

  #check(run: () => void): void {
    try {
      run()
      this.passed++
    } catch (error) {
      this.failed.push(`${this.#title}: ${String((error as Error).message).slice(0, 300)}`)
    }
    this.#told()
  }
}

type Run = (t: Assertions) => unknown

interface Case {
  readonly title: string
  readonly run: Run
}

/** Collects tests as tape does, and runs them one after the other. */
export class TapeLike {
  readonly #cases: Case[] = []

  /** `test(title, run)` of tape. */
  readonly test = Object.assign((title: string, run: Run): void => void this.#cases.push({ title, run }), {
    skip: (): void => {},
  })

  async run(): Promise<{ readonly passed: number; readonly failed: readonly string[] }> {
    const sum = { passed: 0, failed: [] as string[] }
    for (const one of this.#cases) await runCase(one, sum)
    return sum
  }
}

async function runCase({ title, run }: Case, sum: { passed: number; failed: string[] }): Promise<void> {
  const t = new Assertions(title)
  try {
    const returned = run(t)
    await returned
    for (const one of t.inner) await runCase({ ...one, title: `${title}, ${one.title}` }, sum)
    await t.ended(returned instanceof Promise || t.inner.length > 0)
  } catch (error) {
    t.failed.push(`${title}: ${String(error)}`)
  }
  sum.passed += t.passed
  sum.failed.push(...t.failed)
}
