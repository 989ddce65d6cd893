import type { HttpAnswer, HttpLie } from './lie.ts'

const page = '<!doctype html><html><head><title>Sign in</title></head><body>Please sign in.</body></html>'

/** An answer begins and does not end. */
export const halfAnswers: readonly HttpLie[] = (['end', 'silence'] as const).flatMap((after) => {
  const end = after === 'end' ? 'then the end' : 'then silence'
  return [
    {
      title: `half a head, ${end}`,
      tell: (truth) => ({ bytes: half(headOf(truth, { 'content-length': '10' })), after }),
    },
    {
      title: `a body that is shorter than its length, ${end}`,
      tell: (truth) => {
        const length = String(Math.max(truth.body.length, 10))
        return {
          bytes: Buffer.concat([headOf(truth, { 'content-length': length }), half(truth.body)]),
          after,
        }
      },
    },
    {
      title: `chunks without the last one, ${end}`,
      tell: (truth) => {
        const head = headOf(truth, { 'transfer-encoding': 'chunked' })
        return { bytes: Buffer.concat([head, chunkOf(half(truth.body))]), after }
      },
    },
  ] satisfies readonly HttpLie[]
})

/** A whole answer that is none to what was asked. */
export const otherAnswers: readonly HttpLie[] = [
  other('a page', 200, 'text/html', page),
  other('an empty page', 200, 'text/html', ''),
  other('nothing at all', 200, undefined, ''),
  other('no content', 204, undefined, ''),
  ...['{}', '[]', 'null', '"ok"', '{"ok":true}', '[{}]'].map((text) =>
    other(`the JSON ${text}`, 200, 'application/json', text),
  ),
  other('JSON that is cut', 200, 'application/json', '{"ok":tr'),
]

/** The head of the server, and another body than it gave. */
export const otherBodies: readonly HttpLie[] = [
  rewritten('a body that was cut and ends properly', (body) => half(body)),
  // Many end with a line feed.
  rewritten('a body that lacks its last two bytes', (body) => body.subarray(0, -2)),
  rewritten('a body that was emptied', () => Buffer.alloc(0)),
  rewritten('a page in the place of the body', () => Buffer.from(page)),
]

function other(title: string, status: number, type: string | undefined, text: string): HttpLie {
  const headers = type === undefined ? {} : { 'content-type': type }
  return { title, instead: true, tell: () => ({ status, headers, body: Buffer.from(text) }) }
}

function rewritten(title: string, change: (body: Buffer) => Buffer): HttpLie {
  return { title, tell: (truth) => ({ ...truth, body: change(truth.body) }) }
}

/** The head of an answer, with another framing of its body. */
function headOf({ status, headers }: HttpAnswer, framing: Readonly<Record<string, string>>): Buffer {
  const { 'content-length': _, 'transfer-encoding': __, connection: ___, ...kept } = headers
  const lines = Object.entries({ ...kept, ...framing }).flatMap(([name, value]) =>
    [value ?? []].flat().map((one) => `${name}: ${one}\r\n`),
  )
  // Such an answer has a body.
  return Buffer.from(
    `HTTP/1.1 ${status === 204 || status === 304 ? 200 : status} Told\r\n${lines.join('')}\r\n`,
  )
}

function chunkOf(bytes: Buffer): Buffer {
  const told = bytes.length === 0 ? Buffer.from('.') : bytes
  return Buffer.concat([Buffer.from(`${told.length.toString(16)}\r\n`), told, Buffer.from('\r\n')])
}

function half(bytes: Buffer): Buffer {
  return bytes.subarray(0, Math.floor(bytes.length / 2))
}
