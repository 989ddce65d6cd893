import { mkdtemp } from 'node:fs/promises'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { keyValue } from '@unikv/core'
import { entities } from '@unikv/entity'
import { open } from '@unikv/stores/lazy'
import { expect, onTestFinished, test } from 'vitest'
import { synthetic } from '../../../src/data/open-data.ts'
import { auctionTypes } from '../../../src/session/auction/entities.ts'
import { jobIn } from '../../../src/studies/session/document/job.ts'
import { session } from '../../../src/studies/session/study.ts'
import { runStudy } from '../../../src/study/run-study.ts'
import { studyConfig } from '../../../src/study/study-config.ts'
import { auctionJob } from './jobs.ts'

/** The number of a process that is not there. */
const pid = 2 ** 30

test('groups of native transactions that a killed job left are removed by the next one, and its own when it ends', async () => {
  const url = `lmdb:${await mkdtemp(join(tmpdir(), 'unikv-leftovers-'))}/data`
  const store = await open(url)
  onTestFinished(() => store.close())
  const groups = (run: string) =>
    entities(keyValue(store).namespace('unikv.bench').namespace(run), auctionTypes, {
      transactions: 'native',
    })
  const [killed, alive] = [groups('killed'), groups('alive')]
  const [User] = auctionTypes
  for (const [run, of] of [
    ['killed', pid],
    ['alive', process.ppid],
  ] as const) {
    const marker = { host: hostname(), pid: of, startedAt: Date.now(), seenAt: Date.now() }
    await keyValue(store)
      .namespace('unikv.bench')
      .set(run, Buffer.from(JSON.stringify(marker)))
    await groups(run).create(User, { userId: 7, name: 'left' })
  }

  const config = studyConfig(session, { ...(jobIn(auctionJob, 'job.yaml').config as object), runs: 1 })
  const data = synthetic({ seed: 1 })
  const result = await runStudy(session, { config, stores: [{ name: 'lmdb', url, store }], data })
  expect(result.jobs[0]?.control).toBe('optimistic')
  expect(await killed.clear()).toBe(0)
  expect(await alive.clear()).toBe(1)
  expect(await store.groups!.names('', { deadlineAt: Infinity })[Symbol.asyncIterator]().next()).toEqual({
    done: true,
    value: undefined,
  })
})
