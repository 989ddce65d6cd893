import type { ErrorCode } from '@unikv/core'
import {
  causeOf,
  errorTable,
  isStoreError,
  isUntrusted,
  lostAnswer,
  type Meaning,
  StoreError,
  told,
  untrusted,
} from '@unikv/core/adapter'
import { isError } from '@unikv/core/platform'

/**
 * Meaning of an error of ioredis for one item.
 *
 * `isWrite` says that the item changes something: then an answer that never came is `OUTCOME_UNKNOWN`.
 */
export function translate(error: unknown, isWrite: boolean): StoreError {
  if (isStoreError(error)) return error
  const { name, message } = isError(error) ? error : new Error(String(error))
  const meaning = name === 'ReplyError' ? refusal(message) : silence(name, message, isWrite)
  return told(meaning, withoutSecrets(error), { where: 'Redis', isWrite })
}

/** The error of a connection that could not be opened; nothing was sent. */
export function unreachable(address: string, error: unknown): StoreError {
  const cause = withoutSecrets(error)
  if (isUntrusted(cause)) return untrusted(`Redis at ${address}`, cause)
  if (/^NOAUTH\b/.test(cause.message))
    return told(noPassword, cause, { where: `Redis at ${address}`, isWrite: false })
  if (isStranger(cause)) return told(stranger, cause, { where: `Redis at ${address}`, isWrite: false })
  const { code } = cause.name === 'ReplyError' ? refusal(cause.message) : unavailable
  const said = cause.message.replace(/[.\s]+$/, '')
  return new StoreError(code, `Redis at ${address} ${verbs.get(code) ?? 'could not be reached'}: ${said}.`, {
    cause,
  })
}

/** Whether a connection came about, and ended or answered before Redis had said anything. */
function isStranger({ name, message, ...rest }: Error): boolean {
  const { code } = rest as { readonly code?: unknown }
  return (
    message === endedAtOnce ||
    foreign.test(message) ||
    (code === 'ECONNRESET' && !message.startsWith('connect')) ||
    name === 'ParserError'
  )
}

/** Messages of both drivers for an answer that is not of Redis, and of node-redis for a connection that ended before one. */
const foreign = /^(Unknown RESP type|Protocol error|Socket closed unexpectedly)/

/** The reason of a connection that ended without one. */
export const endedAtOnce = 'the connection is closed'

const stranger: Meaning = {
  code: 'UNAVAILABLE',
  message:
    '{where} was reached, but what is there did not answer as Redis does. Check host and port, and whether it needs TLS (rediss://).',
}

/** Words for a server that refused a connection, keyed by code. */
const verbs: ReadonlyMap<ErrorCode, string> = new Map([
  ['ACCESS_DENIED', 'refused the credentials or a command'],
  ['INVALID_CONFIG', 'does not have the database of the url'],
])

/** Whether another node of the cluster has to be asked; the command had no effect. */
export function isRedirect(reply: unknown): boolean {
  return isError(reply) && /^(MOVED|ASK|TRYAGAIN) /.test(reply.message)
}

/** Whether the server did not know the script; the command had no effect. */
export function isMissingScript(reply: unknown): boolean {
  return isError(reply) && reply.message.startsWith('NOSCRIPT')
}

/**
 * Whether the connection is of no use after this reply: a primary became a replica (the next call finds the new
 * primary by its name), or the server is about to close (a value was too large for it).
 */
export function isUseless({ message }: Error): boolean {
  return message.startsWith('READONLY') || message.startsWith('ERR Protocol error')
}

const unavailable: Meaning = {
  code: 'UNAVAILABLE',
  message: 'Redis rejects commands at the moment; see the cause.',
}
const noPassword: Meaning = {
  code: 'ACCESS_DENIED',
  message:
    '{where} asks for a password. Write it into the url, as in redis://:password@host:port, or set UNIKV_REDIS_PASSWORD.',
}
const denied: Meaning = {
  code: 'ACCESS_DENIED',
  message: 'Redis rejected the user, the password or the command; see the cause.',
}

/** Keyed by the first word of the server's answer. */
const meanings = errorTable<string>(
  {
    of: ['OOM'],
    code: 'STORE_FULL',
    message:
      'Redis has reached maxmemory and evicts nothing; nothing was changed. Free space, or delete records.',
  },
  { of: ['NOAUTH'], ...noPassword },
  { of: ['WRONGPASS', 'DENIED'], ...denied },
  {
    of: ['READONLY'],
    code: 'UNAVAILABLE',
    message:
      'This Redis is a replica, which takes no writes; nothing was changed. Name the primary, or try again after a failover.',
  },
  {
    of: ['NOREPLICAS'],
    code: 'UNAVAILABLE',
    message:
      'Redis takes no writes while too few replicas are connected (min-replicas-to-write); nothing was changed.',
  },
  {
    of: ['LOADING'],
    code: 'UNAVAILABLE',
    message: 'Redis is still loading its data from the disk. Try again when it has started.',
  },
  {
    of: ['MISCONF'],
    code: 'UNAVAILABLE',
    message:
      'Redis takes no writes, as it cannot save its data to the disk; nothing was changed. See the log of the server.',
  },
  {
    of: ['MASTERDOWN'],
    code: 'UNAVAILABLE',
    message: 'This Redis is a replica that has lost its primary, and answers nothing. Name the primary.',
  },
  {
    of: ['CLUSTERDOWN'],
    code: 'UNAVAILABLE',
    message: 'The cluster does not serve this key at the moment: a node is down, or slots have no master.',
  },
  {
    of: ['BUSY'],
    code: 'UNAVAILABLE',
    message:
      'Redis is busy with a script of somebody, and takes no commands. Wait, or end it by SCRIPT KILL.',
  },
  {
    of: ['WRONGTYPE', 'CORRUPT'],
    code: 'CORRUPT',
    message: 'The stored value is not a unikv record. Choose another dataset.',
  },
  {
    of: ['NOCOUNTER'],
    code: 'INVALID_VALUE',
    message: 'The record is not a counter: its value is not a safe integer in decimal.',
  },
  {
    of: ['OUTOFRANGE'],
    code: 'INVALID_VALUE',
    message: 'The counter would leave the range of safe integers; nothing was changed.',
  },
)

/** Messages of the server after the general `ERR`, and their meanings. */
const complaints: readonly (readonly [RegExp, Meaning])[] = [
  [
    /max number of clients/,
    { code: 'OVERLOADED', message: 'Redis accepts no more connections (maxclients).' },
  ],
  [
    /maximum allowed size|invalid bulk length|max (request|record) size/,
    { code: 'VALUE_TOO_LARGE', message: 'The value is larger than this Redis server allows.' },
  ],
  [
    /unknown (sub)?command|syntax error/i,
    {
      code: 'UNSUPPORTED',
      message: 'The server does not know the command. Use Redis 6.2 or later.',
    },
  ],
  [
    /DB index|SELECT is not allowed/,
    {
      code: 'INVALID_CONFIG',
      message:
        'Redis does not have the database of the url. Use a number below its setting `databases`; a cluster has only 0.',
    },
  ],
  [/invalid password|AUTH/, denied],
]

/** Message of the server if a script may not run a command or touch a key; older servers begin it with `ERR`. */
const deniedInScript = /ACL failure in script|executing the script can't/

function refusal(message: string): Meaning {
  const word = message.split(' ', 1)[0] ?? ''
  if (word === 'NOPERM' || deniedInScript.test(message))
    return { code: 'ACCESS_DENIED', message: deniedFor(message) }
  if (word !== 'ERR') return meanings.get(word) ?? unavailable
  return complaints.find(([pattern]) => pattern.test(message))?.[1] ?? unavailable
}

/** With the permission that is missing, where the server names it. */
function deniedFor(message: string): string {
  const command = /run the '([\w|-]+)' command/.exec(message)?.[1]
  if (command !== undefined)
    return `The user of Redis may not run the command ${command}. Permit +${command}.`
  if (/keys?\b|channel/.test(message))
    return 'The user of Redis may not use the keys of this dataset. Permit ~dataset:* with the name of the dataset, and ~dataset.g:* for entities.'
  return 'The user of Redis may not run a command that a script needs. The README of @unikv/redis lists them under "Least rights".'
}

const strange: Meaning = {
  code: 'UNAVAILABLE',
  message:
    'Redis sent a reply that does not fit the command; the connection was closed. Check any proxy in front of it.',
  unsettled: 'Redis sent a reply that does not fit the write',
}
const broken: Meaning = {
  ...lostAnswer,
  message: 'The connection to Redis broke before the answer.',
  unsettled: 'The connection to Redis broke before the answer to the write',
}
const notSent: Meaning = {
  code: 'UNAVAILABLE',
  message: 'The connection to Redis could not be used; nothing was sent.',
}

/** Messages of ioredis for commands that it did not send, or that were answered with a redirection. */
const unsent =
  /^(Stream isn't writeable|Cluster isn't ready|Connection (in|is in) \w+ mode|Too many Cluster redirections\. Last error: ReplyError)/

function silence(name: string, message: string, isWrite: boolean): Meaning {
  if (name === 'UnexpectedReply') return strange
  return isWrite && unsent.test(message) ? notSent : broken
}

/**
 * A copy of an error of ioredis without what the command carried: ioredis attaches all arguments (for AUTH the
 * password), and the server repeats those of a command that it does not know.
 */
function withoutSecrets(error: unknown): Error {
  if (!isError(error)) return causeOf(error)
  const { code } = error as { readonly code?: unknown }
  const said = error.message === '' && typeof code === 'string' ? code : error.message
  const cause = new Error(said.replace(/,? with args beginning with:.*$/s, ''))
  cause.name = error.name
  return typeof code === 'string' ? Object.assign(cause, { code }) : cause
}
