import type { DescribeFunction, TestFunction } from './options.ts'
import { defaultPatienceMs } from './patience.ts'
import { within } from './within.ts'

/** A test runner without a process around it: for asking a program whether a store passes. */
export interface CollectingRunner {
  /** For `conformance`. */
  readonly test: TestFunction
  /** For `conformance`. */
  readonly describe: DescribeFunction
  /** Run what was registered, one after another. */
  run(): Promise<ConformanceReport>
}

/** Settings of a collecting runner. */
export interface CollectingRunnerOptions {
  /** After this time a test that has not ended counts as failed. @default 60000 */
  readonly timeoutMs?: number | undefined
  /** Which tests to run. @default all */
  readonly only?: ((topic: string, title: string) => boolean) | undefined
}

/** The outcome. */
export interface ConformanceReport {
  /** Number of tests that passed. */
  readonly passed: number
  readonly failed: readonly ConformanceFailure[]
}

/** One test that failed. */
export interface ConformanceFailure {
  readonly topic: string
  readonly title: string
  readonly error: unknown
}

interface Registered {
  readonly topic: string
  readonly title: string
  readonly run: () => Promise<void>
}

/** A runner that collects failures instead of reporting them. */
export function collectingRunner(options: CollectingRunnerOptions = {}): CollectingRunner {
  const { timeoutMs = defaultPatienceMs, only = () => true } = options
  const registered: Registered[] = []
  let topic = ''
  return {
    test: (title, run) => {
      if (only(topic, title)) registered.push({ topic, title, run })
    },
    describe: (title, body) => {
      topic = title
      body()
      topic = ''
    },
    run: async () => {
      const failed: ConformanceFailure[] = []
      for (const { run, ...place } of registered) {
        try {
          await within(timeoutMs, 'The test', run())
        } catch (error) {
          failed.push({ ...place, error })
        }
      }
      return { passed: registered.length - failed.length, failed }
    },
  }
}
