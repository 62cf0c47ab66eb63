import helmet from '@fastify/helmet';
import type { ConsoleApp } from '../console-app.ts';

/**
 * What a browser may do with our pages: load scripts, styles and pictures from here and run nothing that stands in them,
 * send forms only here, be shown in no frame. The address of a page names a portfolio, so other sites are not told it; to
 * ourselves it is, since with `no-referrer` a browser sends `Origin: null` with forms and nobody could tell whose they are.
 */
export async function addSecurityHeaders(app: ConsoleApp): Promise<void> {
  await app.register(helmet, {
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        'default-src': ["'none'"],
        'object-src': ["'none'"],
        'script-src': ["'self'"],
        'style-src': ["'self'"],
        'img-src': ["'self'", 'data:'],
        'font-src': ["'none'"],
        'connect-src': ["'self'"],
        'form-action': ["'self'"],
        'frame-ancestors': ["'none'"],
        'base-uri': ["'none'"],
      },
    },
    referrerPolicy: { policy: 'same-origin' },
    crossOriginOpenerPolicy: { policy: 'same-origin' },
    crossOriginResourcePolicy: { policy: 'same-origin' },
    frameguard: { action: 'deny' },
    // On what is refused before these headers too, and not for every name: make-server.ts.
    strictTransportSecurity: false,
  });
  app.addHook('onRequest', async (_request, reply) => {
    reply
      .header('permissions-policy', 'camera=(), geolocation=(), microphone=(), payment=(), usb=()')
      // All but the files that pages are made of is somebody's data, or tells whether there is such (assets.ts says otherwise).
      .header('cache-control', 'no-store');
  });
}
