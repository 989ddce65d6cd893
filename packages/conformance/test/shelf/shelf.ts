import {
  type Bytes,
  type CallOptions,
  isEntry,
  type Mutation,
  newVersion,
  type Page,
  type Read,
  type ReadResult,
  StoreError,
  type WriteResult,
} from '@unikv/core'
import {
  attempt,
  callOptions,
  checkOptions,
  type OpenedStore,
  openedStore,
  openOnce,
  unanswered,
  unreachable,
} from '@unikv/core/adapter'
import { memory } from '@unikv/core/memory'
import { Line } from '../line-store/line.ts'
import type { Question } from '../line-store/line-server.ts'

/** Where a shelf of the line server is. */
export interface ShelfOptions {
  readonly shelf: string
  readonly address?: string | undefined
  readonly client?: Line | undefined
  readonly password?: string | undefined
  readonly prepare?: boolean | undefined
  readonly tls?: boolean | undefined
}

/** Password of the line server. */
export const password = 'right'

const names = { shelf: true, address: true, client: true, password: true, prepare: true, tls: true } as const
const { capabilities: inMemory } = memory()
const capabilities = { ...inMemory, sync: 'none' } as const

/** A small adapter that does all that the suite of opening asks for: a dataset is a shelf of the line server. */
export function shelf(options: ShelfOptions): OpenedStore<Bytes> {
  check(options)
  const { shelf: name, client } = options
  const inside = (key: string): string => `${name}/${key}`
  return openedStore<Bytes, Line>({
    name: 'shelf',
    dataset: `shelf ${name}`,
    capabilities,
    native: client,
    open: (closing) => open(options, closing),
    release: (line) => (client === undefined ? line.destroy() : undefined),
    read: async (line, reads, call) => {
      await assertMarked(line, name, call)
      const items = reads.map((read) => ({ ...read, key: inside(read.key) }))
      return (await ask(line, { verb: 'read', items }, call)) as readonly ReadResult<Bytes>[]
    },
    write: async (line, mutations, call) => {
      await assertMarked(line, name, call)
      const items = mutations.map((mutation) => ({ ...mutation, key: inside(mutation.key) }))
      return (await ask(line, { verb: 'write', items }, call)) as readonly WriteResult[]
    },
    scan: async function* (line, range, call) {
      await assertMarked(line, name, call)
      for (let resume = range.resume; ; ) {
        const whole = { ...range, prefix: inside(range.prefix), resume }
        const page = (await ask(line, { verb: 'scan', range: whole }, call)) as Page<Bytes>
        yield {
          ...page,
          entries: page.entries.map((one) => ({ ...one, key: one.key.slice(inside('').length) })),
        }
        resume = page.resume
        if (resume === undefined) return
      }
    },
  })
}

/** Make the shelf if it is missing. */
export function prepareShelf(options: ShelfOptions): Promise<void> {
  return openOnce(shelf({ ...options, prepare: true }))
}

/** Do this on the line server, past every store. */
export async function behind(
  address: string,
  mutation: Partial<Mutation<Bytes>> & { readonly key: string },
): Promise<void> {
  const line = await Line.open(`line://${address}`)
  const complete = {
    type: 'set',
    value: Buffer.from('ours'),
    version: newVersion(),
    ...mutation,
  } as Mutation<Bytes>
  await ask(line, { verb: 'write', items: [complete] }, callOptions())
  line.destroy()
}

/** What stands at a key of the line server. */
export async function textBehind(address: string, key: string): Promise<string | undefined> {
  const line = await Line.open(`line://${address}`)
  const text = await textAt(line, key, callOptions())
  line.destroy()
  return text
}

function check(options: ShelfOptions): void {
  checkOptions('shelf', options, names)
  if (!/^[a-z\d]+$/.test(options.shelf))
    throw new StoreError('INVALID_CONFIG', '`shelf` must be a name of small letters.')
}

async function open(options: ShelfOptions, closing: AbortSignal): Promise<Line> {
  const { address, client, shelf: name, prepare = false } = options
  const url = `line://${address}`
  const line =
    client ??
    (await Line.open(url).catch((cause: unknown) => {
      throw unreachable(`The server at ${address}`, cause)
    }))
  const end = (): void => {
    if (client === undefined) line.destroy()
  }
  closing.addEventListener('abort', end)
  try {
    const call = callOptions()
    if (options.tls === true)
      throw new StoreError('UNAVAILABLE', 'The server does not speak TLS; nothing was sent.')
    if (client === undefined && (await textAt(line, '!password', call)) !== options.password)
      throw new StoreError('ACCESS_DENIED', 'The server refuses this password.')
    const mark = `!${name}`
    if (prepare && (await textAt(line, mark, call)) === undefined) {
      const set = {
        type: 'set',
        key: mark,
        value: Buffer.from('ours'),
        version: newVersion(),
        ifVersion: null,
      } as const
      await ask(line, { verb: 'write', items: [set] }, call)
    }
    await assertMarked(line, name, call)
    return line
  } catch (error) {
    end()
    throw error
  } finally {
    closing.removeEventListener('abort', end)
  }
}

async function assertMarked(line: Line, name: string, call: CallOptions): Promise<void> {
  const mark = await textAt(line, `!${name}`, call)
  if (mark === undefined)
    throw new StoreError('NOT_PREPARED', `There is no shelf ${name}. Call prepareShelf().`)
  if (mark !== 'ours') throw new StoreError('INVALID_CONFIG', `The shelf ${name} is not one of ours.`)
}

async function textAt(line: Line, key: string, call: CallOptions): Promise<string | undefined> {
  const [found] = (await ask(
    line,
    { verb: 'read', items: [{ key } satisfies Read] },
    call,
  )) as ReadResult<Bytes>[]
  return isEntry(found) ? Buffer.from(found.value).toString() : undefined
}

function ask(line: Line, question: Question, call: CallOptions): Promise<unknown> {
  const isWrite = question.verb === 'write'
  return attempt(call, isWrite, () => {
    if (isWrite) call.sent = true
    return line.ask(question).catch((cause: unknown) => {
      throw unanswered('The server', isWrite, cause)
    })
  })
}
