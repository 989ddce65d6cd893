import { describeWith } from '@unikv/test-kit/vitest'
import fc from 'fast-check'
import pg from 'pg'
import { afterAll, expect, test } from 'vitest'
import { byteaArray, int8Array, textArray } from '../src/client/arrays.ts'

describeWith('postgres', (url) => {
  const pool = new pg.Pool({ connectionString: url, max: 1 })
  afterAll(() => pool.end())

  test('the server reads binary arrays as what was put into them', async () => {
    const anyItems = fc.array(
      fc.record({
        bytes: fc.uint8Array({ maxLength: 40 }),
        number: fc.option(fc.maxSafeInteger()),
        text: fc.string({ unit: 'grapheme' }).map((text) => text.replaceAll('\0', '')),
      }),
      { minLength: 1, maxLength: 40 },
    )
    const property = fc.asyncProperty(anyItems, async (items) => {
      const values = [
        byteaArray(items.map(({ bytes }) => bytes)),
        int8Array(items.map(({ number }) => number)),
        textArray(items.map(({ text }) => Buffer.from(text))),
      ]
      const sql = 'SELECT * FROM unnest($1::bytea[], $2::int8[], $3::text[]) AS rows (bytes, number, text)'
      const { rows } = await pool.query(sql, values)
      expect(rows).toEqual(
        items.map(({ bytes, number, text }) => ({
          bytes: Buffer.from(bytes),
          number: number === null ? null : String(number),
          text,
        })),
      )
    })
    await fc.assert(property, { numRuns: 100 })
  })
})
