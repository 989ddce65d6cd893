import { connect, type Socket } from 'node:net'
import { addAbortSignal } from 'node:stream'
import { isStoreError } from '@unikv/core'
import { causeOf, invalidConfig, unreachable } from '@unikv/core/adapter'
import { clearTimeout, setTimeout } from '@unikv/core/platform'
import { errorOfLine } from '../errors.ts'
import { type Address, type ConnectionSettings, itemOverheadBytes, type MemcachedAuth } from '../options.ts'
import { Connection } from './connection.ts'
import { isErrorLine, Lines } from './request.ts'

/**
 * Connect, log in, and ask the server whether it speaks the meta protocol and takes values of the declared size.
 * `signal` ends the connection, now or later.
 *
 * @throws {StoreError} `UNAVAILABLE`, `OVERLOADED`, `ACCESS_DENIED`, `INVALID_CONFIG`
 */
export async function dial(
  address: Address,
  settings: ConnectionSettings,
  signal: AbortSignal,
): Promise<Connection> {
  const socket = connect({ host: address.host, port: address.port, noDelay: true, keepAlive: true })
  // As an option of `connect` its listener would outlive the connection.
  addAbortSignal(signal, socket)
  const timer = setTimeout(() => socket.destroy(late()), settings.connectTimeoutMs)
  try {
    await connected(socket)
    const connection = new Connection(socket, address.name, settings.socketTimeoutMs)
    await greet(connection, address.name, settings)
    return connection
  } catch (error) {
    socket.destroy()
    throw isStoreError(error) ? error : unreachable(address.name, causeOf(error))
  } finally {
    clearTimeout(timer)
  }
}

/** Until it is, or is not to be. Later errors have a listener too. */
function connected(socket: Socket): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.once('connect', resolve)
    socket.on('error', reject)
  })
}

async function greet(connection: Connection, name: string, settings: ConnectionSettings): Promise<void> {
  const { auth, maxValueBytes } = settings
  // Alone: a server that wants a login first throws away what comes behind.
  let [hello = ''] = await say(connection, 'mn\r\n', 'MN')
  // Only such a server gets one: another would store it as a value.
  if (auth !== undefined && hello.includes('unauthenticated')) {
    check(await say(connection, loginOf(auth), 'STORED'), name)
    ;[hello = ''] = await say(connection, 'mn\r\n', 'MN')
  }
  if (hello === 'ERROR')
    throw invalidConfig(`${name} does not support the meta protocol. Use memcached 1.6 or later.`)
  check([hello], name)
  const lines = await say(connection, 'stats settings\r\n', 'END')
  check(lines, name)
  const limit = Number(/^STAT item_size_max (\d+)$/m.exec(lines.join('\n'))?.[1])
  if (limit < maxValueBytes + itemOverheadBytes)
    throw invalidConfig(
      `${name} allows items of ${limit} bytes. Set maxValueBytes to ${limit - itemOverheadBytes} or less, or start it with a larger -I.`,
    )
}

/** Send a command without opaque: the lines that it brings, up to the one that ends them, or an error line. */
export function say(connection: Connection, command: string, end: string): Promise<readonly string[]> {
  const reply = new Lines(
    (line) => line === end,
    (line) => end === 'END' && line.startsWith('STAT '),
  )
  connection.send(reply, Buffer.from(command))
  return reply.lines
}

function check(lines: readonly string[], name: string): void {
  const last = lines.at(-1) as string
  if (isErrorLine(last)) throw errorOfLine(last, name, false)
}

function loginOf({ username, password }: MemcachedAuth): string {
  const credentials = `${username} ${password}`
  return `set auth 0 0 ${Buffer.byteLength(credentials)}\r\n${credentials}\r\n`
}

function late(): Error {
  return Object.assign(new Error('The connection took too long to open.'), { code: 'ETIMEDOUT' })
}
