import { causeOf, lost } from '../adapter/adapter-errors.ts'
import { type ErrorTable, type Failed, lostAnswer, type Meaning, told } from '../adapter/error-table.ts'
import { isStoreError, type StoreError } from '../contract/errors.ts'

/** Error that the SDK throws for an answer of the server: `name` is the code that the service gave. */
export interface AwsError extends Error {
  readonly $metadata?: { readonly httpStatusCode?: number | undefined } | undefined
}

/** Meaning of the errors of a service. */
export interface AwsErrors {
  /** Keyed by the code of the service; includes errors that the SDK throws before it sends a request. */
  readonly names: ErrorTable<string>
  /** Without a code that is known: then a gateway may have answered. */
  readonly statuses: ErrorTable<number>
  /** For any other status from 400 to 499. */
  readonly other: (error: AwsError, status: number) => Meaning
  /** Names of errors whose messages may hold tokens, what was signed, keys or values. */
  readonly secretive: RegExp
}

/** A service and where it is, for errors: its endpoint, or the region if that is told. */
export function serviceAt(
  service: string,
  { endpoint, region }: { readonly endpoint?: string | undefined; readonly region?: string | undefined },
): string {
  if (endpoint !== undefined) return `${service} at ${new URL(endpoint).host}`
  return region === undefined ? service : `${service} in ${region}`
}

/** Meanings that all services share; `service` is their name. */
export function awsMeanings(service: string): Readonly<Record<'noCredentials' | 'busy', Meaning>> {
  return {
    noCredentials: {
      code: 'ACCESS_DENIED',
      message: `There are no credentials for ${service}. Set credentials, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.`,
    },
    busy: {
      code: 'OVERLOADED',
      message: `${service} accepts no more requests at the moment; nothing was changed.`,
    },
  }
}

const noRegion: Meaning = {
  code: 'INVALID_CONFIG',
  message: 'There is no region. Set region or AWS_REGION.',
}

/** The error for what the SDK threw; `failed.place` is the bucket or the table. */
export function awsError(error: unknown, errors: AwsErrors, failed: Failed): StoreError {
  if (isStoreError(error)) return error
  const cause = causeOf(error)
  if (errors.secretive.test(cause.name)) cause.message = cause.name
  const meaning = meaningOf(error as AwsError, errors)
  return meaning === undefined ? lost(failed, cause) : told(meaning, cause, failed)
}

function meaningOf(error: AwsError, { names, statuses, other }: AwsErrors): Meaning | undefined {
  const known = names.get(error.name)
  if (known !== undefined) return known
  if (error.message === 'Region is missing') return noRegion
  const status = statusOf(error)
  if (status === undefined) return undefined
  const listed = statuses.get(status)
  if (listed !== undefined) return listed
  return status >= 400 && status < 500 ? other(error, status) : lostAnswer
}

/** The status of the answer that an error of the SDK tells of, if one came. */
export function statusOf(error: unknown): number | undefined {
  return (error as AwsError | undefined)?.$metadata?.httpStatusCode
}

/** Codes of a connection that was never made. */
const unconnected =
  /^(ECONNREFUSED|ENOTFOUND|EAI_[A-Z]+|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|CERT_[A-Z_]+|UNABLE_TO_[A-Z_]+|(DEPTH_ZERO_)?SELF_SIGNED_[A-Z_]+|ERR_TLS_[A-Z_]+|ERR_SSL_[A-Z_]+|HOSTNAME_MISMATCH)$/

/** Whether an error says that the request never went out, for clients that do not tell. */
export function wasUnsent(error: unknown): boolean {
  const { code, syscall, name } = error as { code?: unknown; syscall?: unknown; name?: unknown }
  return (
    syscall === 'connect' ||
    (typeof code === 'string' && unconnected.test(code)) ||
    name === 'CredentialsProviderError'
  )
}
