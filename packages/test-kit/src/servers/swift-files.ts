import { endianness } from 'node:os'
import { gzipSync } from 'node:zlib'

/** Where the servers of one Swift listen on 127.0.0.1. */
export interface SwiftPorts {
  readonly proxy: number
  readonly account: number
  readonly container: number
  readonly object: number
  readonly memcached: number
}

/** A user of tempauth: `account:user` and its key. */
export interface SwiftUser {
  readonly name: string
  readonly key: string
}

/** Configuration files by name, for servers whose `swift_dir` is `folder`. */
export function swiftConfiguration(
  folder: string,
  systemUser: string,
  user: SwiftUser,
  ports: SwiftPorts,
): readonly (readonly [string, string])[] {
  const common = (port: number): Section => ({
    bind_ip: '127.0.0.1',
    bind_port: port,
    user: systemUser,
    swift_dir: folder,
    workers: 0,
    log_udp_host: '127.0.0.1',
    log_udp_port: 9,
    log_level: 'ERROR',
  })
  const storage = (name: string, port: number): readonly [string, string] => [
    `${name}.conf`,
    ini({
      DEFAULT: { ...common(port), devices: `${folder}/node`, mount_check: false, disable_fallocate: true },
      'pipeline:main': { pipeline: `healthcheck ${name}-server` },
      'filter:healthcheck': { use: 'egg:swift#healthcheck' },
      [`app:${name}-server`]: { use: `egg:swift#${name}`, ...patience },
    }),
  ]
  return [
    [
      'swift.conf',
      ini({
        'swift-hash': { swift_hash_path_suffix: 'unikv', swift_hash_path_prefix: 'unikv' },
        'storage-policy:0': { name: 'one', default: 'yes' },
      }),
    ],
    storage('account', ports.account),
    storage('container', ports.container),
    storage('object', ports.object),
    ['proxy.conf', ini(proxySections(common(ports.proxy), user, ports))],
  ]
}

/**
 * The ring that puts all data on one device: what `swift-ring-builder` would write for one part of one server, in the
 * format of `RingData.serialize_v1`, without starting Python nine times.
 */
export function swiftRing(port: number): Buffer {
  const partitionPower = 4
  const device = {
    id: 0,
    region: 1,
    zone: 1,
    ip: '127.0.0.1',
    port,
    replication_ip: '127.0.0.1',
    replication_port: port,
    device: 'sdb1',
    weight: 1,
    meta: '',
  }
  const description = Buffer.from(
    JSON.stringify({
      byteorder: endianness() === 'LE' ? 'little' : 'big',
      devs: [device],
      part_shift: 32 - partitionPower,
      replica_count: 1,
      version: 1,
    }),
  )
  const lead = Buffer.from('R1NG\0\0\0\0\0\0', 'latin1')
  lead.writeUInt16BE(1, 4)
  lead.writeUInt32BE(description.length, 6)
  return gzipSync(Buffer.concat([lead, description, Buffer.alloc(2 * 2 ** partitionPower)]))
}

/** The short defaults are for clusters with another copy; on a busy machine they would be a 503. In seconds. */
const patience = { conn_timeout: 10, node_timeout: 120, recoverable_node_timeout: 120 }

/** With one node there is no other to turn to, and a restart must not keep it out for a minute after ten errors. */
const neverAvoided = { error_suppression_limit: 1_000_000 }

type Section = Readonly<Record<string, string | number | boolean>>

function proxySections(common: Section, { name, key }: SwiftUser, ports: SwiftPorts) {
  const [account, user] = name.split(':') as [string, string]
  const filters = ['catch_errors', 'healthcheck', 'cache', 'tempauth']
  const plain = Object.fromEntries(
    filters
      .filter((filter) => !['cache', 'tempauth'].includes(filter))
      .map((filter) => [`filter:${filter}`, { use: `egg:swift#${filter}` }]),
  )
  return {
    DEFAULT: common,
    'pipeline:main': { pipeline: [...filters, 'proxy-server'].join(' ') },
    'app:proxy-server': { use: 'egg:swift#proxy', account_autocreate: true, ...patience, ...neverAvoided },
    ...plain,
    'filter:cache': {
      use: 'egg:swift#memcache',
      memcache_servers: `127.0.0.1:${ports.memcached}`,
      ...neverAvoided,
      // A token that is not answered in time counts as refused, so a busy machine would end a sign-in with 401.
      connect_timeout: 10,
      pool_timeout: 10,
      io_timeout: 10,
    },
    'filter:tempauth': {
      use: 'egg:swift#tempauth',
      [`user_${account}_${user}`]: `${key} .admin`,
      // May do what the ACL of a container says, with the same key.
      [`user_${account}_guest`]: key,
    },
  }
}

function ini(sections: Readonly<Record<string, Section>>): string {
  return Object.entries(sections)
    .map(([title, section]) => {
      const lines = Object.entries(section).map(([name, value]) => `${name} = ${value}`)
      return [`[${title}]`, ...lines, ''].join('\n')
    })
    .join('\n')
}
