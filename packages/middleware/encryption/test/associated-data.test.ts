import fc from 'fast-check'
import { expect, test } from 'vitest'
import { associatedData, type RecordContext, sharedContext } from '../src/envelope/associated-data.ts'
import { codeOf } from './records.ts'

const text = (minLength: number): fc.Arbitrary<string> =>
  fc.string({ unit: fc.constantFrom('a', 'b', '\u0000', '\u0001', '\u0004', 'é'), minLength, maxLength: 4 })

const record: fc.Arbitrary<Required<RecordContext> & { readonly header: string }> = fc.record({
  header: text(0),
  dataset: text(1),
  kind: fc.constantFrom('value', 'cache-entry', 'delta-base', 'delta', 'chunk'),
  codec: text(0),
  context: text(0),
  key: text(0),
})

test('two different contexts never give the same associated data', () => {
  const bytesOf = ({
    header,
    key,
    ...shared
  }: Required<RecordContext> & { readonly header: string }): string =>
    associatedData(Buffer.from(header), sharedContext(shared), key).toString('hex')
  fc.assert(
    fc.property(record, record, (a, b) => {
      expect(bytesOf(a) === bytesOf(b)).toBe(JSON.stringify(a) === JSON.stringify(b))
    }),
    { numRuns: 3000 },
  )
})

test('a context of text is the same as its bytes', () => {
  expect(sharedContext({ dataset: 'd', context: 'é' })).toEqual(
    sharedContext({ dataset: 'd', context: Buffer.from('é') }),
  )
})

test.each([
  { dataset: '' },
  { dataset: 'd'.repeat(256) },
  { dataset: '\ud800' },
  { dataset: 7 },
  { dataset: undefined },
  { dataset: 'd', kind: 'Delta' },
  { dataset: 'd', kind: '' },
  { dataset: 'd', codec: '\udfff' },
  { dataset: 'd', codec: {} },
  { dataset: 'd', context: 7 },
  { dataset: 'd', context: '\ud800' },
])('the context %o is refused', (context) => {
  expect(codeOf(() => sharedContext(context as never))).toBe('INVALID_CONFIG')
})
