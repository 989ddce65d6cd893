import { conformance, topicsOfRequests, topicsOfServers } from '@unikv/conformance'
import { describeWith, isWhole } from '@unikv/test-kit/vitest'
import { describe, test } from 'vitest'
import { nextTimestamp } from '../src/timestamps.ts'
import { cassandraBench } from './cassandra-bench.ts'

/** One node is not enough for the level `two`: cluster.test.ts has three. */
const needsThreeNodes = 'every declared consistency level is taken, and no other'
const onOneNode = (title: string, run: () => Promise<void>): void => {
  if (title !== needsThreeNodes) test(title, run)
}

/** In which the form of the table and transactions matter. */
const topicsOfConditions =
  /^(declared|read and write|batches$|write, and|scan and|versions|conditions|races|take|expiry$|touch|errors)/

describeWith('cassandra', (url) => {
  const { open, reopen, discard, tableOf, cql } = cassandraBench(() => url)

  describe('plain writes', async () => {
    const corrupt = async (store: object, key: string): Promise<void> => {
      const body = '{version: 0x00, expires_at: null, value: 0x00}'
      // Between the writes of the store: by the clock of the client alone it may be no later than the one before it.
      const update = `UPDATE ${tableOf(store)} USING TIMESTAMP ${nextTimestamp()} SET record = ${body} WHERE k = ?`
      await cql(update, [Buffer.from(key)])
    }
    await conformance({
      test: onOneNode,
      describe,
      topics: isWhole ? topicsOfServers : topicsOfRequests,
      keyStep: isWhole ? 1 : 10,
      open: () => open(false),
      reopen,
      discard,
      corrupt,
    })
  })

  describe('conditions', async () => {
    const corrupt = async (store: object, key: string): Promise<void> => {
      await cql(`UPDATE ${tableOf(store)} SET version = 0x00 WHERE k = ? IF EXISTS`, [Buffer.from(key)])
    }
    await conformance({
      test: onOneNode,
      describe,
      topics: topicsOfConditions,
      open: () => open(true),
      reopen,
      discard,
      corrupt,
    })
  })
})
