import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { keyring, open, openStream } from '../../src/index.ts'

interface GoldenRecord {
  readonly name: string
  readonly root: string
  readonly dataset: string
  readonly stored: string
  readonly envelope: string
}

const { records } = JSON.parse(readFileSync(new URL('../golden/named.json', import.meta.url), 'utf8')) as {
  readonly records: readonly GoldenRecord[]
}

async function streamed(record: GoldenRecord): Promise<number> {
  const keys = keyring({ primary: 'k1', keys: { k1: record.root } })
  const options = { keys, dataset: record.dataset, key: record.stored }
  let bytes = 0
  for await (const piece of openStream([Buffer.from(record.envelope, 'hex')], options)) bytes += piece.length
  return bytes
}

describe('what opens records without a store', () => {
  test.each(records.filter(({ name }) => /root key|chunks/.test(name)))(
    'refuses $name of hashed names instead of taking the true key for the value',
    async (record) => {
      await expect(streamed(record)).rejects.toMatchObject({ code: 'CORRUPT' })
      const keys = keyring({ primary: 'k1', keys: { k1: record.root } })
      const { dataset, stored, envelope } = record
      expect(() => open(Buffer.from(envelope, 'hex'), { keys, dataset, key: stored })).toThrow(
        expect.objectContaining({ code: 'CORRUPT' }),
      )
    },
  )
})
