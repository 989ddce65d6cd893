import { decoded } from '../adapter/adapter-errors.ts'
import { StoreError } from '../contract/errors.ts'
import { withCredentials } from './credentials.ts'
import type { Opening } from './opener.ts'
import { refuseOthers } from './parameters.ts'

/** The parts that URLs of AWS stores have in common. */
export interface AwsUrl {
  /** Bucket or table. Case matters, so it is not parsed as a host name. */
  readonly place: string
  /** The path after it, without the `/`. */
  readonly behind: string
  readonly region: string | undefined
  readonly endpoint: string | undefined
  /** `undefined`: those of the AWS variables, profiles and roles, which the SDK finds by itself. */
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string } | undefined
}

/** `s3://[key:secret@]place[/behind]?region=…&endpoint=…` */
export function awsUrl(opening: Opening, known: readonly string[]): AwsUrl {
  const { rest, scheme, parameters, environment } = opening
  refuseOthers(scheme, parameters, ['region', 'endpoint', 'dataset', ...known])
  const match = /^[^:]+:\/\/(?:([^@/]*)@)?([^@/]*)(?:\/([^/]*))?\/?$/.exec(
    withCredentials(rest, scheme, environment),
  )
  if (match === null) throw wrong(scheme, `looks like ${scheme}://name?region=eu-west-1`)
  const [, info, place = '', behind = ''] = match
  return {
    place,
    behind,
    region: parameters.get('region') ?? undefined,
    endpoint: parameters.get('endpoint') ?? undefined,
    credentials: info === undefined ? undefined : credentialsOf(info, scheme),
  }
}

function credentialsOf(info: string, scheme: string): AwsUrl['credentials'] {
  const [accessKeyId, secretAccessKey] = info.split(':', 2).map((part) => decoded(part, `A ${scheme} URL`))
  if (!accessKeyId || !secretAccessKey) throw wrong(scheme, 'needs both a key and its secret, or neither')
  return { accessKeyId, secretAccessKey }
}

/** The name of a dataset that may stand in two places. */
export function oneName(scheme: string, inUrl: string, dataset: string | undefined): string | undefined {
  if (inUrl === '') return dataset
  if (dataset === undefined || dataset === inUrl) return inUrl
  throw wrong(scheme, 'and dataset name different datasets')
}

function wrong(scheme: string, how: string): StoreError {
  return new StoreError('INVALID_CONFIG', `A ${scheme} URL ${how}.`)
}
