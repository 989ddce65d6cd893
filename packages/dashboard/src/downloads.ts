import { randomUUID } from 'node:crypto'
import { monotonicClock } from '@unikv/core/platform'
import { Refused } from '@unikv/http/parts'

/** How long an address is good, in milliseconds. */
const goodMs = 60_000

/** Addresses that are good at a time; the oldest give way. */
const mostTickets = 1_000

/** Bytes of a piece of a file: a connection that takes them slowly holds no second copy of the value. */
const pieceBytes = 262_144

/** A value that may be fetched as a file. */
interface Ticket {
  readonly name: string
  readonly until: number
  open(): Promise<Uint8Array>
}

/**
 * Values as files. A browser sends no token with a download, so each has an address that cannot be guessed, is good for a minute and
 * once, and is given only to callers who may read the value.
 */
export class Downloads {
  readonly #tickets = new Map<string, Ticket>()

  /** The address of a value, seen from the page. */
  path(key: string, open: () => Promise<Uint8Array>): string {
    const id = randomUUID()
    const name = key.replaceAll(/[^\w.-]+/g, '_').slice(0, 100) || 'value'
    this.#tickets.set(id, { name, until: monotonicClock() + goodMs, open })
    const [oldest = id] = this.#tickets.keys()
    if (this.#tickets.size > mostTickets) this.#tickets.delete(oldest)
    return `files/${id}`
  }

  /** The value behind an address. @throws {Refused} if it is not good any more */
  async answer(id: string): Promise<Response> {
    const ticket = this.#tickets.get(id)
    this.#tickets.delete(id)
    if (ticket === undefined || ticket.until < monotonicClock())
      throw new Refused(404, 'NOT_FOUND', 'This address is not good any more. Ask for the file again.')
    const bytes = await ticket.open()
    return new Response(piecesOf(bytes), {
      headers: {
        'content-type': 'application/octet-stream',
        'content-length': String(bytes.length),
        'content-disposition': `attachment; filename="${ticket.name}"`,
        'content-security-policy': "default-src 'none'; sandbox",
        'x-content-type-options': 'nosniff',
        'cache-control': 'no-store',
      },
    })
  }
}

function piecesOf(bytes: Uint8Array): ReadableStream<Uint8Array> {
  let at = 0
  return new ReadableStream(
    {
      pull(controller) {
        if (at < bytes.length) controller.enqueue(bytes.subarray(at, at + pieceBytes))
        at += pieceBytes
        if (at >= bytes.length) controller.close()
      },
    },
    { highWaterMark: 1 },
  )
}
