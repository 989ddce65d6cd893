import { memory } from '@unikv/core/memory'
import { synthetic } from '../../../src/data/open-data.ts'
import { jobIn } from '../../../src/studies/session/document/job.ts'
import type { SessionResult } from '../../../src/studies/session/result.ts'
import { session } from '../../../src/studies/session/study.ts'
import { runStudy } from '../../../src/study/run-study.ts'
import { studyConfig } from '../../../src/study/study-config.ts'

/** A short job of the auction, as the data of a document. */
export const auctionJob = {
  name: 'auction',
  userNum: '10',
  database: { url: 'memory:' },
  workload: {
    session: { benchmark: 'auction', parameters: { USER_NUM: '10' }, sessions: '8', numOfThreads: '4' },
    measure: { rampUp: '0s', duration: '200ms', runs: '2' },
  },
}

/** Run a job over memory. */
export async function runJob(data: unknown): Promise<SessionResult> {
  return runStudy(session, {
    config: studyConfig(session, jobIn(data, 'job.yaml').config),
    stores: [{ name: 'memory', url: 'memory:', store: memory() }],
    data: synthetic({ seed: 1 }),
  })
}
