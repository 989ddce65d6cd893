import { isStoreError, StoreError } from '@unikv/core'

/** Text lines out of chunks. */
export class LineReader {
  /** What came after the last end of a line. */
  rest = ''
  readonly #line: (line: string) => void

  constructor(line: (line: string) => void) {
    this.#line = line
  }

  push(chunk: Buffer): void {
    const lines = (this.rest + chunk.toString('latin1')).split('\n')
    this.rest = lines.pop() ?? ''
    for (const line of lines) this.#line(line)
  }
}

/** One line of ASCII that holds plain data, bytes and errors. */
export function toLine(data: unknown): string {
  const text = JSON.stringify(data, (_, value: unknown) => {
    if (isStoreError(value)) return { '~error': value.code, message: value.message }
    if (value === undefined) return { '~undefined': true }
    if (value instanceof Uint8Array) return encoded(value)
    const { type, data: numbers } = (value ?? {}) as { readonly type?: unknown; readonly data?: number[] }
    return type === 'Buffer' && numbers !== undefined ? encoded(Buffer.from(numbers)) : value
  })
  return `${text.replace(/[\u007f-\uffff]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`)}\n`
}

function encoded(bytes: Uint8Array): object {
  return { '~bytes': Buffer.from(bytes).toString('base64') }
}

/** What `toLine` was given. */
export function fromLine(line: string): unknown {
  return revived(JSON.parse(line))
}

function revived(data: unknown): unknown {
  if (typeof data !== 'object' || data === null) return data
  if (Array.isArray(data)) return data.map(revived)
  const { '~bytes': bytes, '~error': code, message } = data as Record<string, string>
  if (bytes !== undefined) return Buffer.from(bytes, 'base64')
  if (code !== undefined) return new StoreError(code as 'CORRUPT', String(message))
  if ('~undefined' in data) return undefined
  return Object.fromEntries(Object.entries(data).map(([name, value]) => [name, revived(value)]))
}
