import { largestValue, recordsBytes } from '../../driven/check-workload.ts'
import { hasLostWorker, judgeDriven } from '../../driven/runs.ts'
import type { Study } from '../../study/study.ts'
import { aggregate } from './aggregate.ts'
import { check } from './check.ts'
import { type SessionConfig, sessionConfigSchema } from './config.ts'
import { shownConfig } from './document/shown.ts'
import { report } from './report/report.ts'
import { type SessionBody, sessionBodyShape } from './result.ts'
import type { SessionCell, SessionRecord } from './session-runner.ts'

/** Sessions of users of an application over one store: throughput, latencies by interaction, conflicts and retries. */
export const session: Study<SessionConfig, SessionCell, SessionRecord, SessionBody> = {
  name: 'session',
  config: sessionConfigSchema,
  formatVersion: 2,
  body: sessionBodyShape,
  report,
  points: ({ operations }, data) => {
    if (operations !== null) largestValue(operations, data)
    return []
  },
  check,
  leastBytes: ({ operations }) => (operations === null ? 0 : recordsBytes(operations)),
  plan: ({ config, stores }) =>
    stores.flatMap(({ name: store }) =>
      Array.from({ length: config.runs + 1 }, (_, run): SessionCell => ({ run, point: 0, store })),
    ),
  nameOf: ({ store, run }) => (run === 0 ? `${store} load` : store),
  leastMsOf: () => 0,
  isDone: (_subject, records) =>
    records.some(({ sample }) => sample !== null && hasLostWorker(sample.sample)),
  labelOf: ({ store, run }) => (run === 0 ? `${store}, data` : store),
  runner: async (context) => {
    const { SessionRunner } = await import('./session-runner.ts')
    return new SessionRunner(context)
  },
  judge: judgeDriven,
  shown: shownConfig,
  aggregate,
}
