import { mongodb } from '@unikv/mongodb'
import { type Opener, oneOf, refuseOthers, withCredentials, withParameters } from './opener.ts'

/** Where the servers are and who asks; the driver reads them. */
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

export const openMongodb: Opener = (opening) => {
  const { scheme, parameters, dataset, name, environment } = opening
  refuseOthers('mongodb', parameters, ['dataset', 'durability', ...ofTheDriver])
  return mongodb({
    url: withCredentials(withParameters(opening, ofTheDriver), scheme, environment),
    collection: dataset,
    prepare: true,
    durability: oneOf(parameters, 'durability', ['flushed', 'replicated', 'memory']),
    name,
  })
}
