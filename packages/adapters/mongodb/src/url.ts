import type { Bytes, Store } from '@unikv/core'
import {
  type ForeignParameters,
  ifTrue,
  instead,
  nothing,
  type Opener,
  oneOf,
  refuseOthers,
  sameAs,
  translated,
  withCredentials,
  withParameters,
} from '@unikv/core/url'
import type { MongodbCapabilities } from './capabilities.ts'
import { mongodb } from './mongodb.ts'

/** Parameters that the driver reads: servers and authentication. */
const ofTheDriver = [
  'appName',
  'authMechanism',
  'authSource',
  'compressors',
  'directConnection',
  'loadBalanced',
  'replicaSet',
  'srvMaxHosts',
  'srvServiceName',
  'tls',
  'tlsCAFile',
  'tlsCertificateKeyFile',
]

const byClient = instead('Hand a client of mongodb to mongodb({ client }) of @unikv/mongodb.')

/** From Atlas, Azure Cosmos DB, DigitalOcean, Railway. The driver takes names in any case, and so does this. */
export const foreignToMongodb: ForeignParameters = {
  ...Object.fromEntries(ofTheDriver.map((name) => [name.toLowerCase(), sameAs(name)])),
  ssl: ifTrue(['tls', 'true'], ['tls', 'false']),
  // The driver never sends a command again by itself here: unikv says what may be tried again.
  retrywrites: nothing,
  retryreads: nothing,
  // unikv asks for this itself: a majority, by the primary.
  w: (value) =>
    value === 'majority'
      ? 'nothing'
      : { instead: 'Writes wait for a majority; durability=flushed or durability=memory asks for less.' },
  journal: ifTrue('nothing', { instead: 'durability=memory asks for writes that are not in the journal.' }),
  j: ifTrue('nothing', { instead: 'durability=memory asks for writes that are not in the journal.' }),
  readpreference: (value) =>
    value === 'primary'
      ? 'nothing'
      : value === 'primaryPreferred'
        ? ['readPreference', value]
        : { instead: "Reads ask the primary; the consistency of a call, 'eventual', asks others." },
  readconcernlevel: instead('The consistency of a call says it.'),
  // The deadline of a call covers all of it.
  connecttimeoutms: nothing,
  sockettimeoutms: nothing,
  serverselectiontimeoutms: nothing,
  waitqueuetimeoutms: nothing,
  wtimeoutms: nothing,
  wtimeout: nothing,
  timeoutms: nothing,
  uuidrepresentation: nothing,
  maxidletimems: nothing,
  maxpoolsize: byClient,
  minpoolsize: byClient,
  authmechanismproperties: byClient,
  tlsinsecure: byClient,
  tlsallowinvalidcertificates: byClient,
  tlsallowinvalidhostnames: byClient,
  tlscertificatekeyfilepassword: byClient,
}

// Not the store's own type: that needs those of the driver, which may not be installed.

/** The type of the store that `open` makes, by the scheme of its URL. */
export interface MongodbByScheme {
  readonly mongodb: Store<Bytes, MongodbCapabilities<false>>
  readonly 'mongodb+srv': Store<Bytes, MongodbCapabilities<false>>
}

/** Makes the store of a URL of MongoDB. */
export const openMongodb: Opener<MongodbByScheme> = (opening) => {
  const { scheme, dataset, name, environment, prepare } = opening
  const parameters = translated('mongodb', opening.parameters, foreignToMongodb)
  refuseOthers('mongodb', parameters, [
    'dataset',
    'durability',
    'readPreference',
    'transactions',
    ...ofTheDriver,
  ])
  return mongodb({
    url: withCredentials(withParameters({ ...opening, parameters }, ofTheDriver), scheme, environment),
    collection: dataset,
    prepare,
    durability: oneOf(parameters, 'durability', ['flushed', 'replicated', 'memory']),
    readPreference: oneOf(parameters, 'readPreference', ['primary', 'primaryPreferred']),
    transactions: oneOf(parameters, 'transactions', ['true', 'false']) === 'true',
    name,
  })
}
