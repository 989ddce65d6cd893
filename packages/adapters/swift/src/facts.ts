import type { StoreFacts } from '@unikv/core/adapter'
import { swift } from './swift.ts'

const auth = { v1: { url: 'http://127.0.0.1/auth/v1.0', user: 'account:user', key: 'key' } }

/** Facts about Swift, for engineers who choose a store. */
export const swiftFacts: StoreFacts = {
  name: 'swift',
  title: 'OpenStack Object Storage (Swift)',
  adapter: '@unikv/swift',
  drivers: [],
  urls: ['swift://account%3Auser:key@host:8080/container'],
  variants: [{ options: '', capabilities: swift({ auth }).capabilities }],
  costs: {
    read: '1 GET',
    readMany: 'one GET a key, side by side',
    set: '1 PUT',
    setMany: 'one PUT a key, side by side',
    conditionalSet: 'not possible',
    delete: '1 DELETE',
    scanPage: '1 listing of the container, 1 more for an empty range in reverse; one GET a value',
  },
  consistency: { newest: 'X-Newest: all replicas are asked, and the newest one answers' },
  sources: [
    'https://docs.openstack.org/api-ref/object-store/',
    'https://docs.openstack.org/swift/latest/overview_architecture.html',
  ],
  testedOn: 'Swift 2.30 with tempauth; Keystone was not at hand',
  notes: [
    'No conditions: PUT ignores If-Match, and looks for If-None-Match before it writes, so that several creators win.',
    'Listings follow writes with a delay in larger clusters.',
  ],
}
