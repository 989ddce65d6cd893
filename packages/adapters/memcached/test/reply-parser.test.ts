import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Reply, ReplyParser } from '../src/client/reply-parser.ts'

const line = fc.stringMatching(/^(HD|EN|NS|STAT x) [a-z0-9 ]{0,40}$/)
const reply = fc.oneof(
  line.map((text): Reply => ({ line: text, value: undefined })),
  fc.uint8Array({ maxLength: 300 }).map(
    (value): Reply => ({
      line: `VA ${value.length} f0`,
      value: Buffer.from(value),
    }),
  ),
)

function encoded({ line: text, value }: Reply): Buffer {
  const head = Buffer.from(`${text}\r\n`, 'latin1')
  return value === undefined ? head : Buffer.concat([head, value, Buffer.from('\r\n')])
}

test('replies are the same, wherever the chunks of the connection begin and end', () => {
  fc.assert(
    fc.property(fc.array(reply, { maxLength: 20 }), fc.array(fc.nat(500)), (replies, cuts) => {
      const stream = Buffer.concat(replies.map(encoded))
      const got: Reply[] = []
      const parser = new ReplyParser((one) => got.push(one))
      let at = 0
      for (const cut of [...cuts, stream.length]) {
        parser.push(stream.subarray(at, at + cut))
        at = Math.min(stream.length, at + cut)
      }
      expect(got).toEqual(replies)
    }),
  )
})

test.each(['VA x f0\r\n', 'VA -1\r\n', 'VA 9999999999\r\n', 'x'.repeat(9_000)])(
  'what is no protocol is refused',
  (text) => {
    expect(() => new ReplyParser(() => {}).push(Buffer.from(text))).toThrow('The server sent')
  },
)
