export type { DynamodbCapabilities } from './capabilities.ts'
export type { DynamodbNative } from './client/dynamodb-client.ts'
export { type DynamodbStore, dynamodb, prepareDynamodb } from './dynamodb.ts'
export type { DynamodbCredentials, DynamodbOptions } from './options.ts'
