import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { DockerfileParser } from 'dockerfile-ast';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { readSettings } from '../src/config.ts';
import { checkVersion } from '../src/redis/server-info.ts';

const ROOT = resolve(import.meta.dirname, '..');
const read = (name: string) => readFileSync(join(ROOT, name), 'utf8');

describe('Dockerfile', () => {
  const instructions = DockerfileParser.parse(read('Dockerfile')).getInstructions();
  const words = (keyword: string) =>
    instructions
      .filter((instruction) => instruction.getKeyword() === keyword)
      .map((instruction) => instruction.getArgumentsContent() ?? '');

  test('is made of instructions that Docker knows, and begins with FROM', () => {
    const known =
      'ADD ARG CMD COPY ENTRYPOINT ENV EXPOSE FROM HEALTHCHECK LABEL RUN SHELL STOPSIGNAL USER VOLUME WORKDIR';
    for (const instruction of instructions) expect(known.split(' ')).toContain(instruction.getKeyword());
    expect(instructions[0]?.getKeyword()).toBe('FROM');
  });

  test('runs on the Node that the project pins', () => {
    const pinned = JSON.parse(read('package.json')).dependencies.node;
    expect(words('FROM')[0]).toContain(`node:${pinned.split('.')[0]}-`);
  });

  test('copies only what is there, and not what .dockerignore keeps out', () => {
    const ignored = read('.dockerignore').split('\n');
    for (const copied of words('COPY').flatMap((text) => text.split(' ').slice(0, -1))) {
      expect(existsSync(join(ROOT, copied))).toBe(true);
      expect(ignored).not.toContain(copied);
    }
  });

  test('does not run as root, and starts a command that exists', () => {
    expect(words('USER')).toEqual(['node']);
    expect(JSON.parse(words('ENTRYPOINT')[0] ?? '')).toEqual(['node', '/app/scripts/limitline.ts']);
    const [command] = JSON.parse(words('CMD')[0] ?? '');
    expect(existsSync(join(ROOT, 'scripts/commands', `${command}.ts`))).toBe(true);
  });
});

describe('docker-compose.yml', () => {
  const serviceSchema = z.looseObject({
    image: z.string().optional(),
    build: z.string().optional(),
    command: z.array(z.string()),
    environment: z.record(z.string(), z.string()).default({}),
    volumes: z.array(z.string()).default([]),
    secrets: z.array(z.string()).default([]),
    depends_on: z
      .record(z.string(), z.object({ condition: z.enum(['service_started', 'service_healthy']) }))
      .default({}),
  });
  const compose = z
    .strictObject({
      name: z.string(),
      services: z.record(z.string(), serviceSchema),
      secrets: z.record(z.string(), z.object({ file: z.string() })),
      volumes: z.record(z.string(), z.null()),
    })
    .parse(parse(read('docker-compose.yml')));
  const services = Object.entries(compose.services);

  test.each(services)('%s names only what the file defines', (_name, service) => {
    expect(Boolean(service.image) !== Boolean(service.build)).toBe(true);
    for (const other of Object.keys(service.depends_on)) expect(compose.services).toHaveProperty(other);
    for (const secret of service.secrets) expect(compose.secrets).toHaveProperty(secret);
    for (const volume of service.volumes.filter((text) => !/^[./]/.test(text))) {
      expect(compose.volumes).toHaveProperty(volume.split(':')[0] ?? '');
    }
  });

  test.each(services.filter(([, service]) => service.build))(
    '%s is a command, with settings that are known',
    (_name, service) => {
      expect(existsSync(join(ROOT, 'scripts/commands', `${service.command[0]}.ts`))).toBe(true);
      const env = {
        ...service.environment,
        SERVICE_URL: 'https://x.example',
        SERVICE_CLIENT_ID: 'id',
        LOG_LEVEL: 'info',
      };
      const known = Object.keys(readSettings({ env: {}, cwd: '/' }));
      const withoutDefault = ['REDIS_URL', 'SERVICE_URL', 'HTTPS_PROXY', 'HTTP_PROXY', 'NO_PROXY'];
      for (const name of Object.keys(env)) expect([...known, ...withoutDefault]).toContain(name.replace(/_FILE$/, ''));
    },
  );

  test('Redis is new enough', () => {
    const version = compose.services.redis?.image?.match(/^redis:(\d+)/)?.[1];
    expect(() => checkVersion({ redis_version: `${version}.0.0` }, 'it')).not.toThrow();
  });

  test('Redis keeps every write before it answers, and evicts nothing', () => {
    expect(compose.services.redis?.command.join(' ')).toBe(
      'redis-server --appendonly yes --appendfsync always --maxmemory-policy noeviction',
    );
  });
});
