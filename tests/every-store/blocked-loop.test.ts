import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Bytes, isStoreError, keyValue, type Store } from '@unikv/core'
import { resilience } from '@unikv/resilience'
import { prepareS3, s3 } from '@unikv/s3'
import { open } from '@unikv/stores'
import { block } from '@unikv/test-kit'
import { describeWith, someOf } from '@unikv/test-kit/vitest'
import { expect, test } from 'vitest'

const timeoutMs = 1_000
/** Longer than any deadline of the calls. */
const blockedMs = 2_000

/** Calls, and then a loop that keeps the process from its work until all their deadlines have passed. */
async function codesAfterBlock(
  store: Store<Bytes>,
): Promise<{ failed: unknown[]; state: string | undefined }> {
  const layer = resilience({ retry: false, breaker: { window: 10 } })
  const kv = keyValue(store, [layer], { timeoutMs })
  await kv.set('key', Buffer.from('value'), { timeoutMs: 60_000 })
  const calls = Array.from({ length: 30 }, (_, i) =>
    i % 5 === 0 ? kv.set(`key ${i}`, Buffer.from('value')) : kv.get('key'),
  )
  const ends = Promise.allSettled(calls)
  block(blockedMs)
  const failed = (await ends).flatMap((end) => (end.status === 'rejected' ? [codeOf(end.reason)] : []))
  const state = layer.stats()[0]?.breaker
  await kv.close()
  return { failed, state }
}

function codeOf(error: unknown): unknown {
  return isStoreError(error) ? error.code : error
}

async function expectsNoFalseTimeout(store: Store<Bytes>): Promise<void> {
  expect(await codesAfterBlock(store)).toEqual({ failed: [], state: 'closed' })
}

const dataset = `blocked_${process.pid}`

function opened(url: string): Store<Bytes> {
  return open(url, { dataset })
}

test('a blocked event loop makes no false timeouts on SQLite, and opens no breaker', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'unikv-blocked-'))
  await expectsNoFalseTimeout(open(`sqlite:${folder}/data.db?threads=2`))
  await rm(folder, { recursive: true })
})

for (const [kind, drivers] of [
  ['redis', ['', '?driver=node-redis']],
  ['mariadb', ['', '?driver=mariadb']],
  ['postgres', ['']],
  ['memcached', ['']],
] as const)
  describeWith(kind, (url) => {
    test.each(someOf(1, drivers))(
      `a blocked event loop makes no false timeouts on ${kind}%s, and opens no breaker`,
      async (driver) => {
        await expectsNoFalseTimeout(opened(`${url}${driver}`))
      },
    )
  })

describeWith('s3', (url) => {
  test('a blocked event loop makes no false timeouts on S3, and opens no breaker', async () => {
    const { origin: endpoint, username, password } = new URL(url)
    const options = {
      bucket: 'unikv-blocked',
      endpoint,
      credentials: { accessKeyId: username, secretAccessKey: password },
    }
    await prepareS3(options)
    await expectsNoFalseTimeout(s3(options))
  })
})
