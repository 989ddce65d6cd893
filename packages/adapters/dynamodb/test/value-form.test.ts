import type { Json } from '@unikv/core'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { bytesForm, documentForm } from '../src/value-form.ts'

test('bytes come back, whatever they are', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 40 }), (value) => {
      const found = bytesForm.fromAttribute(bytesForm.toAttribute(value))
      return Buffer.compare(found as Uint8Array, value) === 0
    }),
  )
})

test.each(['0', '7', '-7', '9007199254740991', '-9007199254740991'])('%s is a number', (text) => {
  expect(bytesForm.toAttribute(Buffer.from(text))).toEqual({ N: text })
})

test.each(['', '-0', '00', '+1', '1.0', '1e3', ' 1', '9007199254740992', '12345678901234567890', '١'])(
  '%j is no number',
  (text) => expect(bytesForm.toAttribute(Buffer.from(text))).toEqual({ B: Buffer.from(text) }),
)

test('what is attribute is a copy', () => {
  const value = Buffer.from('value')
  const attribute = bytesForm.toAttribute(value)
  value.fill(0)
  expect(attribute).toEqual({ B: Buffer.from('value') })
})

test('documents come back', () => {
  const text = fc.string({ unit: 'binary', minLength: 1 }).filter((name) => name !== '__proto__')
  const number = fc
    .double({ noNaN: true, noDefaultInfinity: true })
    .filter((n) => n === 0 || (Math.abs(n) >= 1e-130 && Math.abs(n) < 1e126))
    .map((n) => n + 0)
  const { document } = fc.letrec<{ document: Json }>((tie) => ({
    document: fc.oneof(
      { maxDepth: 4 },
      fc.constant(null),
      fc.boolean(),
      fc.string({ unit: 'binary' }),
      number,
      fc.array(tie('document'), { maxLength: 4 }),
      fc.dictionary(text, tie('document'), { maxKeys: 4, noNullPrototype: true }),
    ),
  }))
  fc.assert(
    fc.property(document, (value) => {
      expect(documentForm.fromAttribute(documentForm.toAttribute(value))).toEqual(value)
    }),
  )
})

test.each<[string, unknown]>([
  ['-0', -0],
  ['NaN', Number.NaN],
  ['a number that is too large', 1e126],
  ['a number that is too small', { n: [1e-131] }],
  ['a nameless property', { '': 1 }],
  ['a property __proto__', JSON.parse('{"__proto__": 1}')],
  ['a date', new Date(0)],
  ['undefined in a list', [undefined]],
])('%s is refused', (_, value) => {
  expect(() => documentForm.toAttribute(value as Json)).toThrow(
    expect.objectContaining({ code: 'INVALID_VALUE' }),
  )
})

test.each([[{ SS: ['a'] }], [{ B: Buffer.from('a') }], [{ L: [{ NS: ['1'] }] }], [{ M: { a: { BS: [] } } }]])(
  '%j is no document of ours',
  (attribute) => expect(documentForm.fromAttribute(attribute as never)).toBeUndefined(),
)
