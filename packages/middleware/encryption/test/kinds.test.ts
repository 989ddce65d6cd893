import { type Bytes, compose, keyValue, newVersion } from '@unikv/core'
import { callOptions, internalKey, namespacePrefix } from '@unikv/core/adapter'
import { memory } from '@unikv/core/memory'
import { describe, expect, test } from 'vitest'
import { contextOf } from '../src/envelope/associated-data.ts'
import { kindsUnder } from '../src/envelope/kinds.ts'
import { encryption, open, type RecordKind } from '../src/index.ts'
import { codeOf, keys, utf8 } from './records.ts'
import { dataset, held, plant } from './stored.ts'

const warmPlace = namespacePrefix(['warm'])
const records: readonly (readonly [string, RecordKind])[] = [
  ['ada', 'value'],
  ['\u0002\u0000d', 'value'],
  ['\u0001team\u0002ada', 'value'],
  [internalKey('delta', 'ada', '7'), 'delta'],
  [internalKey('delta', '', ''), 'delta'],
  [internalKey('chunk', 'ada', '0'), 'chunk'],
  [internalKey('chunk', 'ada', 'warm'), 'chunk'],
  [internalKey('chunk', 'warm 0 1', ''), 'chunk'],
  [internalKey('chunk', warmPlace, 'warm 0 12'), 'value'],
  [internalKey('marker', warmPlace, 'warm'), 'value'],
  [internalKey('tag', '', 'hash'), 'value'],
  [internalKey('lease', 'ada'), 'value'],
  ['\u0000', 'value'],
  ['\u0000d', 'delta'],
]

async function written(kind: RecordKind | undefined, key: string): Promise<Bytes> {
  const store = memory()
  const layers = [encryption({ dataset, keys, kind })] as const
  await compose(store, layers).write(
    [{ type: 'set', key, value: utf8('text'), version: newVersion() }],
    callOptions(),
  )
  return held(store, key)
}

describe('the kind of a record in a stack', () => {
  test.each(records)('of %j is %s', async (key, kind) => {
    expect(kindsUnder('value')(key)).toBe(kind)
    const envelope = await written(undefined, key)
    expect(open(envelope, { keys, dataset, key, kind })).toEqual(Buffer.from('text'))
    const other = kind === 'value' ? 'delta' : 'value'
    expect(codeOf(() => open(envelope, { keys, dataset, key, kind: other }))).toBe('AUTHENTICATION_FAILED')
  })

  test('is that of the options for all but deltas and chunks', async () => {
    for (const [key, kind] of records) {
      const expected = kind === 'value' ? 'warm-restart' : kind
      const envelope = await written('warm-restart', key)
      expect(open(envelope, { keys, dataset, key, kind: expected })).toEqual(Buffer.from('text'))
    }
  })

  test('keeps records apart: a layer of another kind refuses them', async () => {
    const store = memory()
    await plant(store, 'ada', await written('cache-entry', 'ada'))
    await expect(keyValue(store, [encryption({ dataset, keys })]).get('ada')).rejects.toMatchObject({
      code: 'AUTHENTICATION_FAILED',
    })
    const sameKind = keyValue(store, [encryption({ dataset, keys, kind: 'cache-entry' })])
    expect(await sameKind.get('ada')).toEqual(Buffer.from('text'))
  })

  test('is looked up, and not made again, for each record', () => {
    const of = contextOf({ dataset }, kindsUnder('value'))
    expect(of('a')).toBe(of('b'))
    expect(of('\u0000d1')).toBe(of('\u0000d2'))
    expect(of('\u0000d1').equals(of('a'))).toBe(false)
  })

  test('that is none is refused', () => {
    expect(codeOf(() => encryption({ dataset, keys, kind: 'secret' as never }))).toBe('INVALID_CONFIG')
  })
})
