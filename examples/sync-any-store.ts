// Any store without promises: a worker thread opens what this module exports as `kv`, and the main thread blocks on
// it. For scripts. Redis where UNIKV_TEST_REDIS_URL names one, else files.
import assert from 'node:assert/strict'
import { isMainThread } from 'node:worker_threads'
import { syncFrom } from '@unikv/sync'
import { isStoreError, type Json, json, type KeyValue, keyValue, open } from 'unikv'

const url = process.env['UNIKV_TEST_REDIS_URL'] ?? 'file:./data'

export const kv: KeyValue<string, Json> = keyValue(open(url, { dataset: `example_${process.pid}` }), [json()])

if (isMainThread) {
  const settings = syncFrom<string, Json>(new URL(import.meta.url))
  settings.set('theme', 'dark')
  settings.setMany([
    ['language', 'en'],
    ['fontSize', 14],
  ])
  for (const key of settings.keys()) console.log(settings.name, key, settings.get(key))
  assert.deepEqual(settings.getMany(['theme', 'language', 'fontSize', 'none']), ['dark', 'en', 14, undefined])

  // Errors arrive as they are.
  try {
    settings.set('theme', 'light', { ifVersion: null })
    assert.fail('the key is there')
  } catch (error) {
    assert.ok(isStoreError(error) && error.code === 'CONDITION_FAILED')
  }
  assert.equal(settings.clear({ all: true }), 3)
  settings.close()
  await kv.close()
}
